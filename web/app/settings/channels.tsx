import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { BellOff, Send, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { dateOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { State } from '../../shared/ui/state.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { endPush, isThisDevice, pushState, subscribeToPush } from '../push.ts'
import { outcomeOf, useAction, useResource } from '../requests.ts'
import { isInTelegram } from '../telegram/launch.ts'
import { useTelegram } from '../telegram/telegram.tsx'
import { Group, Loaded, Part, useFocusAfterRemoval } from './loaded.tsx'
import styles from './settings.module.css'

type Channel = components['schemas']['Channel']

// As the server has it.
const mostChannels = 10

/** The devices that get notifications. */
export default function Channels() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const channels = useResource(() => api.GET('/api/v1/me/channels'))
  useFocusAfterRemoval(channels.data?.items.length)
  return (
    <Part title={t('settings.devices.title')}>
      <ThisDevice channels={channels.data?.items ?? []} onChange={channels.reload} />
      <Loaded of={channels}>
        {({ items }) =>
          items.length === 0 ? (
            <State icon={<BellOff size={32} />} title={t('settings.devices.empty')}>
              {t('settings.devices.emptyText')}
            </State>
          ) : (
            <Group title={t('settings.devices.list')}>
              {items.map((channel) => (
                <ChannelCard key={channel.id} channel={channel} onChange={channels.reload} />
              ))}
            </Group>
          )
        }
      </Loaded>
    </Part>
  )
}

function ThisDevice({ channels, onChange }: { channels: readonly Channel[]; onChange: () => void }) {
  const { t } = useLanguage()
  const client = useConvene()
  const { data: keys } = useResource(() => client.api.GET('/api/v1/notifications/keys'))
  const [state, setState] = useState(pushState)
  const subscribe = useAction(async () => {
    const outcome = await subscribeToPush(client)
    setState(pushState())
    if (outcome === 'denied') return null
    onChange()
    return outcome
  })
  const [wasFull, setWasFull] = useState(false)
  const telegram = useAction(async () => {
    // One that is connected already needs no further room.
    setWasFull(channels.length >= mostChannels && channels.every(({ kind }) => kind !== 'telegram'))
    const { failure } = await outcomeOf(client.api.POST('/api/v1/me/channels', { body: { kind: 'telegram' } }))
    onChange()
    return failure
  })
  const sdk = useTelegram()?.sdk
  const offersTelegram = keys?.telegram != null
  return (
    <Group>
      {!isInTelegram && state !== 'unsupported' && state !== 'denied' && (
        <Button
          look="primary"
          wide
          busy={subscribe.busy}
          icon={<Smartphone size={20} aria-hidden />}
          onClick={() => subscribe.run()}
        >
          {t('settings.devices.subscribe')}
        </Button>
      )}
      {state === 'denied' && !isInTelegram && <p className={styles.notice}>{t('settings.devices.denied')}</p>}
      {state === 'unsupported' && !isInTelegram && <p className={styles.notice}>{t('settings.devices.unsupported')}</p>}
      <FailureText failure={subscribe.failure} conflict={t('settings.devices.full')} />
      {offersTelegram && (
        <>
          <Button wide busy={telegram.busy} icon={<Send size={20} aria-hidden />} onClick={() => telegram.run()}>
            {t('settings.devices.telegram')}
          </Button>
          <p className={styles.quiet}>
            {t('settings.devices.telegramHint')}{' '}
            <a
              href={`https://t.me/${keys?.telegram}?start=notify`}
              onClick={(event) => {
                if (!sdk) return
                event.preventDefault()
                sdk.openLink(event.currentTarget.href)
              }}
            >
              @{keys?.telegram}
            </a>
          </p>
          <FailureText
            failure={telegram.failure}
            conflict={t(wasFull ? 'settings.devices.full' : 'settings.devices.telegramFirst')}
          />
        </>
      )}
    </Group>
  )
}

function ChannelCard({ channel, onChange }: { channel: Channel; onChange: () => void }) {
  const { t, language } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const params = { path: { id: channel.id } }
  const test = useAction(async () => {
    const { failure } = await outcomeOf(api.POST('/api/v1/me/channels/{id}/test', { params }))
    if (!failure) toast(t('settings.devices.tested'))
    return failure
  })
  const remove = useAction(async () => {
    const { failure } = await outcomeOf(api.DELETE('/api/v1/me/channels/{id}', { params }))
    if (!failure && isThisDevice(channel.id)) await endPush()
    onChange()
    return failure
  })
  const { failing_since: failing, last_delivered_at: last } = channel
  return (
    <article className={styles.card}>
      <div>
        <h3>{channel.label}</h3>
        <p className={styles.quiet}>
          {failing !== null
            ? t('settings.devices.failing', { date: dateOf(language, new Date(failing)) })
            : last === null
              ? t('settings.devices.never')
              : t('settings.devices.last', { date: dateOf(language, new Date(last)) })}
        </p>
      </div>
      {isThisDevice(channel.id) && (
        <p>
          <span className={styles.badge}>{t('settings.sessions.current')}</span>
        </p>
      )}
      <div className={styles.actions}>
        <Button busy={test.busy} onClick={() => test.run()}>
          {t('settings.devices.test')}
        </Button>
        <Button look="danger" busy={remove.busy} onClick={() => remove.run()}>
          {t('settings.remove')}
        </Button>
      </div>
      <FailureText failure={test.failure ?? remove.failure} />
    </article>
  )
}
