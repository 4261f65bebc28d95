import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { isComposing } from '../../shared/composing.ts'
import { trimmed } from '../../shared/text-length.ts'
import { Button, IconButton } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { Chip, Chips } from '../people/chips.tsx'
import { type Kind, kinds } from '../people/common.ts'
import { useNearbyStore } from '../people/nearby-store.ts'
import { sameTag, tagText } from '../people/suggestions.ts'
import { excessText, fieldText, outcomeOf, useAction, useResource } from '../requests.ts'
import { Loaded, Part } from './loaded.tsx'
import meStyles from './me.module.css'
import styles from './settings.module.css'

type Preferences = components['schemas']['Preferences']
const most = 20

export default function EditPreferences() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const preferences = useResource(() => api.GET('/api/v1/me/prefs'))
  return (
    <Part title={t('settings.preferences.title')} back="/me">
      <p className={styles.quiet}>{t('settings.preferences.text')}</p>
      <Loaded of={preferences}>{(kept) => <PreferencesForm kept={kept} />}</Loaded>
    </Part>
  )
}

function PreferencesForm({ kept }: { kept: Preferences }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const nearby = useNearbyStore()
  const [, navigate] = useLocation()
  const [chosen, setChosen] = useState<Record<Kind, readonly string[]>>(kept)
  const [typed, setTyped] = useState({ drinks: '', activities: '', purposes: '' })
  const choicesOf = (kind: Kind) =>
    distinct([...kept[kind], ...chosen[kind], ...t(`settings.preferences.${kind}`).split(', ')])
  const save = useAction(async () => {
    // Users expect that a tag is saved that they have typed but not added.
    const body = Object.fromEntries(kinds.map((kind) => [kind, withTyped(chosen[kind], typed[kind], choicesOf(kind))]))
    const { failure } = await outcomeOf(api.PUT('/api/v1/me/prefs', { body }))
    if (failure) return failure
    // What others have in common with the user has changed.
    void nearby.readLikes()
    toast(t('settings.saved'))
    // Do not navigate if the user has left this screen meanwhile.
    if (location.pathname === '/me/preferences') navigate('/me')
    return null
  })
  return (
    <div className={styles.form}>
      {kinds.map((kind) => (
        <Tags
          key={kind}
          label={t(`people.${kind}`)}
          choices={choicesOf(kind)}
          chosen={chosen[kind]}
          typed={typed[kind]}
          error={fieldText(t, save.failure, `/${kind}`)}
          onType={(text) => setTyped((before) => ({ ...before, [kind]: text }))}
          onChange={(tags) => setChosen((before) => ({ ...before, [kind]: tags }))}
        />
      ))}
      <FailureText failure={save.failure} />
      <Button look="primary" wide busy={save.busy} onClick={() => save.run()}>
        {t('settings.save')}
      </Button>
    </div>
  )
}

function distinct(tags: readonly string[]): string[] {
  const found: string[] = []
  for (const tag of tags) if (!found.some((known) => sameTag(known, tag))) found.push(tag)
  return found
}

/** The chosen tags with a typed one, if there is room. It is written like the choice that is the same. */
function withTyped(chosen: readonly string[], typed: string, choices: readonly string[]): string[] {
  const tag = trimmed(typed)
  if (tag === '' || chosen.length >= most) return [...chosen]
  return distinct([...chosen, choices.find((known) => sameTag(known, tag)) ?? tag])
}

type TagsProps = {
  label: string
  choices: readonly string[]
  chosen: readonly string[]
  typed: string
  error: string | null
  onType: (text: string) => void
  onChange: (tags: readonly string[]) => void
}

/** The tags to choose from, and a field to add another one. */
function Tags({ label, choices, chosen, typed, error, onType, onChange }: TagsProps) {
  const { t, language } = useLanguage()
  const isFull = chosen.length >= most
  const excess = excessText(t, typed, 40)
  const add = () => {
    if (isFull || excess !== null) return
    onType('')
    onChange(withTyped(chosen, typed, choices))
  }
  return (
    <div className={styles.group}>
      <Chips label={label}>
        {choices.map((tag) => {
          const isChosen = chosen.some((known) => sameTag(known, tag))
          return (
            <Chip
              key={tag}
              type="checkbox"
              checked={isChosen}
              onChange={(isOn) => {
                if (!isOn) onChange(chosen.filter((known) => !sameTag(known, tag)))
                else if (!isFull) onChange([...chosen, tag])
              }}
            >
              {tagText(tag, language)}
            </Chip>
          )
        })}
      </Chips>
      <div className={meStyles.added}>
        <Field
          label={t('settings.preferences.add', { kind: label })}
          hint={isFull ? t('settings.preferences.full', { count: most }) : undefined}
          error={excess ?? error}
          value={typed}
          onChange={(event) => onType(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
            event.preventDefault()
            add()
          }}
        />
        <IconButton label={t('settings.preferences.addTo', { kind: label })} onClick={add}>
          <Plus size={22} aria-hidden />
        </IconButton>
      </div>
    </div>
  )
}
