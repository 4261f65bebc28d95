import { useVirtualizer } from '@tanstack/react-virtual'
import { useChats, useConvene } from 'convene-client/react'
import { MessageCircle, WifiOff } from 'lucide-react'
import { useCallback, useRef } from 'react'
import { Link } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { problemText } from '../people/problems.ts'
import { Screen } from '../people/screen.tsx'
import { ChatRow } from './chat-row.tsx'
import styles from './chats.module.css'
import { useMore } from './more.ts'
import { useTried } from './tried.ts'

/** 76 pixels, and more where the user has chosen larger text. */
const rowHeight = Math.max(76, 4.75 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
// The scroll position, restored when the user comes back to the list.
let leftAt = 0

/**
 * All chats, latest first; `open` is the one that is shown beside the list. Only rows near the screen are rendered, so that a
 * thousand chats are as fast as ten.
 */
export default function Chats({ open = null }: { open?: string | null }) {
  const { t } = useLanguage()
  const { chats } = useConvene()
  const { items, loading, loaded, hasMore, problem } = useChats()
  const body = useRef<HTMLDivElement>(null)
  // Keep the function's identity: a new one makes the virtualizer measure all rows again.
  const getItemKey = useCallback((index: number) => items[index]?.id ?? index, [items])
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => body.current,
    estimateSize: () => rowHeight,
    getItemKey,
    initialOffset: () => leftAt,
    overscan: 8,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useMore(hasMore && !loading && last >= items.length - 10, items.length, chats.list.loadMore)

  const isFailed = useTried(chats.list, chats.list.load) && !loaded && !loading
  return (
    <Screen ref={body} title={t('places.chats')} onScroll={({ scrollTop }) => (leftAt = scrollTop)}>
      {items.length > 0 ? (
        <ul className={styles.list} style={{ height: rows.getTotalSize() }} aria-label={t('places.chats')}>
          {shown.map(({ index, key, start }) => {
            const chat = items[index]
            return (
              chat && (
                <li
                  key={key}
                  className={styles.item}
                  style={{ height: rowHeight, transform: `translateY(${start}px)` }}
                  aria-setsize={hasMore ? -1 : items.length}
                  aria-posinset={index + 1}
                >
                  <ChatRow chat={chat} isOpen={chat.id === open} />
                </li>
              )
            )
          })}
        </ul>
      ) : isFailed ? (
        <State
          icon={<WifiOff size={32} />}
          title={problemText(t, problem)}
          action={<Button onClick={() => void chats.list.load()}>{t('app.retry')}</Button>}
        />
      ) : loaded ? (
        <State
          icon={<MessageCircle size={32} />}
          title={t('chats.none')}
          action={
            <Link href="/nearby" className={styles.action}>
              {t('chats.noneAction')}
            </Link>
          }
        >
          {t('chats.noneHint')}
        </State>
      ) : (
        <SkeletonRows label={t('app.loading')} />
      )}
    </Screen>
  )
}
