import { useSession } from 'convene-client/react'
import { useState } from 'react'
import { distanceOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useLanguage } from '../language.tsx'
import { Chip, Chips } from './chips.tsx'
import { choicesOf, kinds } from './common.ts'
import { tagText } from './suggestions.ts'
import { ageRanges, noFilters, radii, useNearbyState, useNearbyStore } from './nearby-store.ts'

/** The radius, the age and the tags to search by. The search begins when the button is pressed. */
export default function FilterSheet({ onClose }: { onClose: () => void }) {
  const { t, language } = useLanguage()
  const store = useNearbyStore()
  const { filters, likes, items } = useNearbyState()
  const [draft, setDraft] = useState(filters)
  const hasDate = useSession(({ user }) => user?.birth_month != null)
  const [people] = useState(() => items.map(({ user }) => user))

  // If the community does not ask for a date of birth, nobody has an age.
  const isAgeKnown = hasDate || filters.ages !== null || people.some(({ age }) => age !== null)

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
      {isAgeKnown && (
        <Chips label={t('people.ages')}>
          {[null, ...ageRanges].map((ages) => (
            <Chip
              key={ages?.min ?? 'any'}
              type="radio"
              name="ages"
              checked={draft.ages?.min === ages?.min}
              onChange={() => setDraft({ ...draft, ages })}
            >
              {ages === null ? t('people.anyAge') : ages.max === 150 ? `${ages.min}+` : `${ages.min}–${ages.max}`}
            </Chip>
          ))}
        </Chips>
      )}
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
                {tagText(tag, language)}
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
