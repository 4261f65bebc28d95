import { useState } from 'react'
import { distanceOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useLanguage } from '../language.tsx'
import { Chip, Chips } from './chips.tsx'
import { choicesOf, kinds } from './common.ts'
import { noFilters, radii, useNearbyState, useNearbyStore } from './nearby-store.ts'

/** How far to look, and what people should like. Nothing is searched before the button is pressed. */
export function FilterSheet({ onClose }: { onClose: () => void }) {
  const { t, language } = useLanguage()
  const store = useNearbyStore()
  const { filters, likes, items } = useNearbyState()
  const [draft, setDraft] = useState(filters)
  const [people] = useState(() => items.map(({ user }) => user))

  function apply() {
    void store.filter(draft)
    onClose()
  }

  return (
    <Sheet title={t('people.filters')} closeLabel={t('app.close')} onClose={onClose}>
      <Chips label={t('people.radius')}>
        {radii.map((radius) => (
          <Chip
            key={radius}
            type="radio"
            name="radius"
            checked={draft.radius === radius}
            onChange={() => setDraft({ ...draft, radius })}
          >
            {distanceOf(language, radius)}
          </Chip>
        ))}
      </Chips>
      {kinds.map((kind) => {
        const choices = choicesOf(kind, filters[kind], likes, people)
        if (choices.length === 0) return null
        return (
          <Chips key={kind} label={t(`people.${kind}`)}>
            {choices.map((tag) => (
              <Chip
                key={tag}
                type="checkbox"
                checked={draft[kind].includes(tag)}
                onChange={(checked) =>
                  setDraft({
                    ...draft,
                    [kind]: checked ? [...draft[kind], tag] : draft[kind].filter((one) => one !== tag),
                  })
                }
              >
                {tag}
              </Chip>
            ))}
          </Chips>
        )
      })}
      <Button look="primary" wide onClick={apply}>
        {t('people.showPeople')}
      </Button>
      <Button look="quiet" wide onClick={() => setDraft(noFilters)}>
        {t('people.clearFilters')}
      </Button>
    </Sheet>
  )
}
