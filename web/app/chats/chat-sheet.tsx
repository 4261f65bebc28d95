import type { Chat, components, Problem } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Ban, Bell, BellOff, Star, UserRound } from 'lucide-react'
import { useId, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { serverNow, withClock } from '../../shared/clock.ts'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { useLanguage } from '../language.tsx'
import { useBlock, useUnblock } from '../people/block-sheet.tsx'
import { problemText } from '../people/problems.ts'
import { ReportForm } from '../people/report-sheet.tsx'
import { allPages, useAction, useResource } from '../requests.ts'
import styles from './chat.module.css'
import { ReviewSheet } from './review-sheet.tsx'

type Block = components['schemas']['Block']
type Props = { chat: Chat; name: string; onClose: () => void }

/** The actions in a chat besides writing. Blocking and reporting take no further touch. */
export function ChatSheet({ chat, name, onClose }: Props) {
  const { t } = useLanguage()
  const [isReviewing, setIsReviewing] = useState(false)
  const { user } = chat
  const { api } = useConvene()
  const blocks = useResource(() =>
    allPages<Block>((query) => withClock(api.GET('/api/v1/blocks', { params: { query } }))),
  )
  const block = blocks.data?.items.find(({ user_id }) => user_id === user.id)
  if (isReviewing) return <ReviewSheet chatId={chat.id} name={name} onClose={onClose} />
  return (
    <Sheet title={name} closeLabel={t('app.close')} onClose={onClose}>
      <div className={styles.actions}>
        <Link href={`/people/${user.id}`} className={styles.action}>
          <UserRound size={20} aria-hidden /> {t('chats.profile')}
        </Link>
        <Mute chat={chat} onDone={onClose} />
        <button type="button" className={styles.action} onClick={() => setIsReviewing(true)}>
          <Star size={20} aria-hidden /> {t('chats.review')}
        </button>
        {block ? (
          <Unblock blockId={block.id} name={name} onDone={onClose} />
        ) : (
          <BlockNow userId={user.id} name={name} onDone={onClose} />
        )}
      </div>
      <h3 className={styles.part}>{t('people.reportPerson', { name })}</h3>
      <ReportForm about={{ user_id: user.id }} userId={user.id} name={name} onClose={onClose} />
    </Sheet>
  )
}

/** Blocks at once: the message that says so offers to undo it. */
function BlockNow({ userId, name, onDone }: { userId: string; name: string; onDone: () => void }) {
  const { t } = useLanguage()
  const block = useBlock(userId, name)
  const hint = useId()
  const [, go] = useLocation()
  const now = useAction(async () => {
    const { pathname } = location
    const failure = await block()
    if (failure !== null) return failure
    onDone()
    // Do not navigate if the user has left this screen meanwhile.
    if (location.pathname === pathname) go('/chats')
  })
  return (
    <>
      <button
        type="button"
        className={`${styles.action} ${styles.dangerous}`}
        aria-disabled={now.busy || undefined}
        aria-describedby={hint}
        onClick={() => now.run()}
      >
        <Ban size={20} aria-hidden /> {t('people.block')}
      </button>
      <p id={hint} className={styles.actionHint}>
        {t('people.blockHint')}
      </p>
      {now.failure && <p role="alert">{problemText(t, now.failure === 'offline' ? null : now.failure)}</p>}
    </>
  )
}

function Unblock({ blockId, name, onDone }: { blockId: string; name: string; onDone: () => void }) {
  const { t } = useLanguage()
  const toast = useToast()
  const unblock = useUnblock()
  const lift = useAction(async () => {
    const failure = await unblock(blockId)
    if (failure !== null) return failure
    toast(t('people.unblocked', { name }))
    onDone()
  })
  return (
    <>
      <button type="button" className={styles.action} aria-disabled={lift.busy || undefined} onClick={() => lift.run()}>
        <Ban size={20} aria-hidden /> {t('settings.blocked.lift')}
      </button>
      {lift.failure && <p role="alert">{problemText(t, lift.failure === 'offline' ? null : lift.failure)}</p>}
    </>
  )
}

/** Mutes a chat for eight hours or until further notice. The other member does not learn of it. */
function Mute({ chat, onDone }: { chat: Chat; onDone: () => void }) {
  const { t } = useLanguage()
  const { api, chats } = useConvene()
  const [failed, setFailed] = useState<Problem | 'offline' | null>(null)
  async function mute(until: string | null) {
    const { data, error } = await api
      .PUT('/api/v1/chats/{id}/mute', { params: { path: { id: chat.id } }, body: { until } })
      .catch(() => ({ data: undefined, error: undefined }))
    if (!data) return setFailed(error ?? 'offline')
    await chats.list.load()
    onDone()
  }
  return (
    <>
      {chat.muted_until === null ? (
        <>
          <button
            type="button"
            className={styles.action}
            onClick={() => void mute(new Date(serverNow() + 8 * 3_600_000).toISOString())}
          >
            <BellOff size={20} aria-hidden /> {t('chats.muteHours')}
          </button>
          <button type="button" className={styles.action} onClick={() => void mute('forever')}>
            <BellOff size={20} aria-hidden /> {t('chats.muteForever')}
          </button>
        </>
      ) : (
        <button type="button" className={styles.action} onClick={() => void mute(null)}>
          <Bell size={20} aria-hidden /> {t('chats.unmute')}
        </button>
      )}
      {failed && <p role="alert">{problemText(t, failed === 'offline' ? null : failed)}</p>}
    </>
  )
}
