import type { components } from 'convene-client'
import { useConvene, useSession } from 'convene-client/react'
import { useRef, useState } from 'react'
import { Field, Select, Switch } from '../../shared/ui/field.tsx'
import { FailureText } from '../account/failure.tsx'
import { useProviders } from '../account/providers.tsx'
import { useLanguage } from '../language.tsx'
import { outcomeOf, type Resource, useAction, useResource } from '../requests.ts'
import { Group, Loaded, Part } from './loaded.tsx'
import styles from './settings.module.css'

type Preferences = components['schemas']['NotificationPreferences']

export default function Notifications() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const resource = useResource(() => api.GET('/api/v1/me/notifications'))
  return (
    <Part title={t('settings.notifications.title')}>
      <Loaded of={resource}>{(stored) => <Choices stored={stored} resource={resource} />}</Loaded>
    </Part>
  )
}

/** Each change applies at once, and is reverted if the server refuses it. */
function Choices({ stored, resource }: { stored: Preferences; resource: Resource<Preferences> }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  // The changes that the server does not have yet. They are sent in order, since an earlier one may be slow to arrive.
  const [changes, setChanges] = useState<readonly Partial<Preferences>[]>([])
  const waiting = useRef(changes)
  const wait = (next: typeof changes) => setChanges((waiting.current = next))
  const save = useAction(async () => {
    for (let body = waiting.current[0]; body !== undefined; body = waiting.current[0]) {
      const { data, failure } = await outcomeOf(api.PUT('/api/v1/me/notifications', { body }))
      wait(failure ? [] : waiting.current.slice(1))
      if (failure) return failure
      resource.set(data)
    }
    return null
  })
  const change = (one: Partial<Preferences>) => {
    wait([...waiting.current, one])
    void save.run()
  }
  const preferences: Preferences = Object.assign({}, stored, ...changes)
  const { data: providers } = useProviders()
  const isVerified = useSession(({ user }) => user?.email_verified === true)
  const sendsDigest = preferences.digest === 'daily' || (providers?.mail === true && isVerified)
  const { quiet } = preferences
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <>
      <FailureText failure={save.failure} />
      <Group title={t('settings.notifications.about')}>
        <div className={styles.switches}>
          <Switch
            label={t('settings.notifications.messages')}
            checked={preferences.messages}
            onChange={(messages) => change({ messages })}
          />
          <Switch
            label={t('settings.notifications.chats')}
            checked={preferences.chats}
            onChange={(chats) => change({ chats })}
          />
          <Switch
            label={t('settings.notifications.reviews')}
            checked={preferences.reviews}
            onChange={(reviews) => change({ reviews })}
          />
        </div>
        <p className={styles.quiet}>{t('settings.notifications.always')}</p>
      </Group>
      <Group>
        <Select
          label={t('settings.notifications.preview')}
          hint={t('settings.notifications.previewHint')}
          value={preferences.preview}
          options={[
            { value: 'full', label: t('settings.notifications.previewFull') },
            { value: 'name', label: t('settings.notifications.previewName') },
            { value: 'none', label: t('settings.notifications.previewNone') },
          ]}
          onChange={(preview) => isPreview(preview) && change({ preview })}
        />
      </Group>
      <Group>
        <div className={styles.switches}>
          <Switch
            label={t('settings.notifications.quiet')}
            hint={quiet ? t('settings.notifications.zone', { zone: quiet.time_zone }) : undefined}
            checked={quiet !== null}
            onChange={(isOn) => change({ quiet: isOn ? { from: '22:00', to: '08:00', time_zone: zone } : null })}
          />
        </div>
        {quiet && (
          <>
            <div className={styles.pair}>
              <Field
                label={t('settings.notifications.from')}
                type="time"
                value={quiet.from}
                onChange={(event) => event.target.value && change({ quiet: { ...quiet, from: event.target.value } })}
              />
              <Field
                label={t('settings.notifications.to')}
                type="time"
                value={quiet.to}
                onChange={(event) => event.target.value && change({ quiet: { ...quiet, to: event.target.value } })}
              />
            </div>
            {quiet.time_zone !== zone && (
              <button
                type="button"
                className={styles.row}
                onClick={() => change({ quiet: { ...quiet, time_zone: zone } })}
              >
                {t('settings.notifications.useZone', { zone })}
              </button>
            )}
          </>
        )}
      </Group>
      {sendsDigest && (
        <Group>
          <div className={styles.switches}>
            <Switch
              label={t('settings.notifications.digest')}
              hint={t('settings.notifications.digestHint')}
              checked={preferences.digest === 'daily'}
              onChange={(isOn) => change({ digest: isOn ? 'daily' : 'off' })}
            />
          </div>
        </Group>
      )}
    </>
  )
}

const isPreview = (value: string): value is Preferences['preview'] => ['none', 'name', 'full'].includes(value)
