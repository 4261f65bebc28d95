import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button, IconButton } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { Chip, Chips } from '../people/chips.tsx'
import { type Kind, kinds, sameTag } from '../people/common.ts'
import { fieldText, outcomeOf, useAction, useResource } from '../requests.ts'
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
  const [, navigate] = useLocation()
  const [chosen, setChosen] = useState<Record<Kind, readonly string[]>>(kept)
  const save = useAction(async () => {
    const body = Object.fromEntries(kinds.map((kind) => [kind, [...chosen[kind]]]))
    const { failure } = await outcomeOf(api.PUT('/api/v1/me/prefs', { body }))
    if (failure) return failure
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
          suggested={t(`settings.preferences.${kind}`).split(', ')}
          kept={kept[kind]}
          chosen={chosen[kind]}
          error={fieldText(t, save.failure, `/${kind}`)}
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

type TagsProps = {
  label: string
  suggested: readonly string[]
  kept: readonly string[]
  chosen: readonly string[]
  error: string | null
  onChange: (tags: readonly string[]) => void
}

/** The tags to choose from, and a field to add another one. */
function Tags({ label, suggested, kept, chosen, error, onChange }: TagsProps) {
  const { t } = useLanguage()
  const [text, setText] = useState('')
  const choices: string[] = []
  for (const tag of [...kept, ...chosen, ...suggested])
    if (!choices.some((known) => sameTag(known, tag))) choices.push(tag)
  const isFull = chosen.length >= most
  const add = () => {
    const tag = text.trim()
    if (tag === '' || isFull) return
    setText('')
    if (!chosen.some((known) => sameTag(known, tag)))
      onChange([...chosen, choices.find((known) => sameTag(known, tag)) ?? tag])
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
              {tag}
            </Chip>
          )
        })}
      </Chips>
      <div className={meStyles.added}>
        <Field
          label={t('settings.preferences.add', { kind: label })}
          hint={isFull ? t('settings.preferences.full', { count: most }) : undefined}
          error={error}
          maxLength={40}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
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
