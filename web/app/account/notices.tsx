import type { Frame } from 'convene-client'
import { useConvene, useStore } from 'convene-client/react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { serverNow, withClock } from '../../shared/clock.ts'
import { leaveFocus } from '../../shared/ui/focus.ts'
import { useLanguage } from '../language.tsx'
import { outcomeOf, useResource } from '../requests.ts'
import styles from './banners.module.css'
import { markRead, readNotices } from './read-notices.ts'
import { useConnected } from './connected.ts'

type Announcement = Extract<Frame, { type: 'announcement' }>['data']

/** Banners for the admins' announcements and for decisions about the user, until they have been read on this device. */
export function Notices() {
  const client = useConvene()
  const { data, reload } = useResource(() =>
    withClock(client.api.GET('/api/v1/me/notices', { params: { query: { limit: 100 } } })),
  )
  const [told, setTold] = useState<readonly Announcement[]>([])
  const read = useStore(readNotices)
  useEffect(() => {
    const stops = [
      client.on('announcement', (one) => setTold((before) => [one, ...before.filter(({ id }) => id !== one.id)])),
      client.on('notice', () => {
        void reload()
        // It may have changed the account: hidden it, or removed its photo.
        void outcomeOf(client.api.GET('/api/v1/me'))
      }),
    ]
    return () => stops.forEach((stop) => stop())
  }, [client, reload])
  useConnected(async () => {
    const isRead = await reload()
    // Those of the list are newer now: one of these may have been withdrawn meanwhile.
    if (isRead) setTold((now) => now.filter((one) => !told.includes(one)))
    return isRead
  })
  const unread = data?.items.filter(({ id }) => !read.includes(id)) ?? []
  return (
    <>
      <Announcements
        all={[
          ...told.filter(({ id }) => !read.includes(id)),
          ...unread.flatMap(({ id, action, reason, until, created_at }) =>
            action === 'announce' && told.every((one) => one.id !== id)
              ? [{ id, text: reason, until, created_at }]
              : [],
          ),
        ]}
      />
      {/* `hide` has a banner of its own, which stays as long as the user is hidden. */}
      {unread.some(({ action }) => action !== 'announce' && action !== 'hide') && <Decision />}
    </>
  )
}

/** Those that are in force. An announcement that was withdrawn has no text. */
function Announcements({ all }: { all: Announcement[] }) {
  const { t } = useLanguage()
  const now = serverNow()
  return all
    .filter(({ text, until }) => text !== null && (until === null || Date.parse(until) > now))
    .map(({ id, text }) => (
      <section key={id} ref={leaveFocus} className={styles.banner} aria-label={t('settings.notice.announce')}>
        <p role="status">{text}</p>
        <button type="button" onClick={() => markRead([id])}>
          {t('account.announcement.read')}
        </button>
      </section>
    ))
}

function Decision() {
  const { t } = useLanguage()
  return (
    <div className={styles.banner}>
      <p role="status">{t('account.decision.banner')}</p>
      <Link href="/settings/reports">{t('account.decision.read')}</Link>
    </div>
  )
}
