import type { Chat, Problem } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Ban, Bell, BellOff, Flag, Star, UserRound } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useLanguage } from '../language.tsx'
import { BlockSheet } from '../people/block-sheet.tsx'
import { problemText } from '../people/problems.ts'
import { ReportSheet } from '../people/report-sheet.tsx'
import styles from './chat.module.css'
import { ReviewSheet } from './review-sheet.tsx'

type Props = { chat: Chat; name: string; onClose: () => void }

/** The actions in a chat besides writing. */
export function ChatSheet({ chat, name, onClose }: Props) {
  const { t } = useLanguage()
  const [open, setOpen] = useState<'review' | 'report' | 'block' | null>(null)
  const { user } = chat
  if (open === 'review') return <ReviewSheet chatId={chat.id} name={name} onClose={onClose} />
  if (open === 'block') return <BlockSheet userId={user.id} name={name} onClose={onClose} />
  if (open === 'report')
    return <ReportSheet about={{ user_id: user.id }} userId={user.id} name={name} onClose={onClose} />
  return (
    <Sheet title={name} closeLabel={t('app.close')} onClose={onClose}>
      <div className={styles.actions}>
        <Link href={`/people/${user.id}`} className={styles.action}>
          <UserRound size={20} aria-hidden /> {t('chats.profile')}
        </Link>
        <Mute chat={chat} onDone={onClose} />
        <button type="button" className={styles.action} onClick={() => setOpen('review')}>
          <Star size={20} aria-hidden /> {t('chats.review')}
        </button>
        <button type="button" className={`${styles.action} ${styles.dangerous}`} onClick={() => setOpen('block')}>
          <Ban size={20} aria-hidden /> {t('people.block')}
        </button>
        <button type="button" className={`${styles.action} ${styles.dangerous}`} onClick={() => setOpen('report')}>
          <Flag size={20} aria-hidden /> {t('people.report')}
        </button>
      </div>
    </Sheet>
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
            onClick={() => void mute(new Date(Date.now() + 8 * 3_600_000).toISOString())}
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
