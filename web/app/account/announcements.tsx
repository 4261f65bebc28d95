import type { Frame } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useEffect, useState } from 'react'
import { readLocal, writeLocal } from '../../shared/local-storage.ts'
import { useLanguage } from '../language.tsx'
import styles from './banners.module.css'

type Announcement = Extract<Frame, { type: 'announcement' }>['data']

const seenKey = 'announcements-read'

/** The announcements of the admins that are in force and have not been read on this device. */
export function Announcements() {
  const { t } = useLanguage()
  const client = useConvene()
  const [standing, setStanding] = useState<readonly Announcement[]>([])
  const [read, setRead] = useState(readBefore)
  useEffect(() => {
    let isGone = false
    const put = (one: Announcement) =>
      setStanding((before) => [...(one.text === null ? [] : [one]), ...before.filter(({ id }) => id !== one.id)])
    const stop = client.on('announcement', put)
    void client.api.GET('/api/v1/me/notices', { params: { query: { limit: 100 } } }).then(({ data }) => {
      if (isGone) return
      for (const { id, action, reason, until, created_at } of data?.items.toReversed() ?? [])
        if (action === 'announce') put({ id, text: reason, until, created_at })
    }, noAnnouncements)
    return () => {
      isGone = true
      stop()
    }
  }, [client])
  const now = Date.now()
  const shown = standing.filter(({ id, until }) => !read.includes(id) && (until === null || Date.parse(until) > now))
  return shown.map(({ id, text }) => (
    <section key={id} className={styles.banner} aria-label={t('settings.notice.announce')}>
      <p role="status">{text}</p>
      <button
        type="button"
        onClick={() => {
          // Ids of announcements that have ended are dropped.
          const next = [...read.filter((other) => standing.some((one) => one.id === other)), id]
          setRead(next)
          writeLocal(seenKey, JSON.stringify(next))
        }}
      >
        {t('account.announcement.read')}
      </button>
    </section>
  ))
}

// Without a network, they are read at the next start.
const noAnnouncements = () => {}

function readBefore(): string[] {
  try {
    return JSON.parse(readLocal(seenKey) ?? '[]') as string[]
  } catch {
    return []
  }
}
