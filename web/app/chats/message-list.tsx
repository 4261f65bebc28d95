import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import type { ChatMessage, OpenChat } from 'convene-client'
import { useChat, useMessages, useSession, useStore } from 'convene-client/react'
import { ArrowDown, MessageCircle, WifiOff } from 'lucide-react'
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { dayOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { useToday } from '../today.ts'
import styles from './chat.module.css'
import { MessageRow } from './message-row.tsx'
import { useMore } from './more.ts'
import { estimate, type Row, rowsOf } from './rows.ts'
import { useTried } from './tried.ts'

type Props = {
  chatId: string
  name: string
  onMenu: (message: ChatMessage) => void
  onPhoto: (message: ChatMessage) => void
}

const nearEndPx = 80

/** Where the user has left a conversation, to which they come back from a profile, and the heights of its rows. */
type Place = { chatId: string; first: string; last: string; offset: number; heights: VirtualItem[] }
let left: Place | null = null

/**
 * The messages. The list stays scrolled to its end when new ones arrive, and at its position when older ones are added above.
 * Only rows near the screen are rendered, so that ten thousand messages cost no more than fifty.
 */
export function MessageList({ chatId, name, onMenu, onPhoto }: Props) {
  const { t } = useLanguage()
  const chat = useChat(chatId)
  const { items, loading, loaded, hasOlder } = useMessages(chatId)
  const me = useSession(({ user }) => user?.id)
  const body = useRef<HTMLDivElement>(null)
  const last = items.at(-1)
  const lastKey = last?.key
  // What has arrived meanwhile is at the end.
  const [place] = useState(() =>
    left?.chatId === chatId && left.first === items[0]?.key && left.last === lastKey ? left : null,
  )
  const [isAtEnd, setAtEnd] = useState(place === null)
  const rows = useMemo(() => rowsOf(items), [items])
  // Keep the function's identity: a new one makes the virtualizer measure all rows again.
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows])
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => body.current,
    estimateSize: (index) => estimate(rows[index]),
    getItemKey,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: nearEndPx,
    overscan: 8,
    paddingStart: 8,
    paddingEnd: 8,
    initialOffset: place?.offset ?? 0,
    initialMeasurementsCache: place?.heights ?? [],
  })
  const shown = list.getVirtualItems()
  const hasTried = useTried(chat.messages, chat.load)
  const first = shown[0]?.index
  const hasRows = rows.length > 0

  // Start at the end, before the first paint.
  useLayoutEffect(() => {
    if (hasRows && place === null) list.scrollToEnd()
  }, [list, hasRows, place])

  useMore(first !== undefined && first < 8 && hasOlder && !loading, items[0]?.key, chat.loadOlder)

  // Scroll to the end after the user has written a message.
  const isMine = last?.sender_id === me
  useLayoutEffect(() => {
    if (isMine && lastKey !== place?.last) list.scrollToEnd()
  }, [list, lastKey, isMine, place])

  const leave = useRef(() => {})
  leave.current = () => {
    const [first] = items
    const offset = list.scrollOffset
    const canReturn = !isAtEnd && first && lastKey !== undefined && offset !== null
    left = canReturn ? { chatId, first: first.key, last: lastKey, offset, heights: list.takeSnapshot() } : null
  }
  useLayoutEffect(() => () => leave.current(), [])

  const unread = useUnread(chatId, isAtEnd)

  return (
    <div className={styles.messages}>
      <div
        ref={body}
        className={styles.scroller}
        // Focusable, so that the keyboard can scroll it even if it contains nothing to focus.
        tabIndex={0}
        role="log"
        aria-label={t('chats.messages', { name })}
        aria-busy={loading}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setAtEnd(scrollHeight - scrollTop - clientHeight < nearEndPx)
        }
      >
        {rows.length === 0 &&
          (hasTried && !loading && !loaded ? (
            <State
              icon={<WifiOff size={32} />}
              title={t('app.failure.offline')}
              action={<Button onClick={() => void chat.load()}>{t('app.retry')}</Button>}
            />
          ) : loaded ? (
            <State icon={<MessageCircle size={32} />} title={t('chats.empty')}>
              {t('chats.emptyHint', { name })}
            </State>
          ) : (
            <SkeletonRows label={t('app.loading')} />
          ))}
        {/* A list that is shorter than the screen is aligned to the bottom. */}
        <div className={styles.rows} style={{ height: list.getTotalSize() }}>
          {shown.map(({ index, key, start }) => {
            const row = rows[index]
            return (
              row && (
                <Line
                  key={key}
                  row={row}
                  index={index}
                  start={start}
                  measure={list.measureElement}
                  chat={chat}
                  me={me}
                  name={name}
                  onMenu={onMenu}
                  onPhoto={onPhoto}
                />
              )
            )
          })}
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" className={styles.toEnd} onClick={() => list.scrollToEnd()}>
          <ArrowDown size={20} aria-hidden />
          {unread > 0 ? t('chats.new', { count: unread }) : <span className="unseen">{t('chats.toEnd')}</span>}
        </button>
      )}
    </div>
  )
}

type LineProps = Omit<Props, 'chatId'> & {
  row: Row
  index: number
  start: number
  measure: (line: Element | null) => void
  chat: OpenChat
  me: string | undefined
}

/** A positioned row. Memoised, so that it is not rendered again when other rows come into view. */
const Line = memo(function Line({ row, index, start, measure, me, ...given }: LineProps) {
  return (
    <div ref={measure} data-index={index} className={styles.row} style={{ transform: `translateY(${start}px)` }}>
      {row.kind === 'day' ? (
        <Day at={row.at} />
      ) : (
        <MessageRow
          {...given}
          message={row.message}
          isMine={row.message.sender_id === me}
          isFirst={row.isFirst}
          isLast={row.isLast}
        />
      )}
    </div>
  )
})

/** The line between two days. */
function Day({ at }: { at: Date }) {
  const { language } = useLanguage()
  const now = useToday()
  return <p className={styles.day}>{dayOf(language, at, now)}</p>
}

/** Marks messages as read while the end of the list is on the screen and the page is visible. Returns the unread count. */
function useUnread(chatId: string, isAtEnd: boolean): number {
  const chat = useChat(chatId)
  const unread = useStore(chat.info, (info) => info?.unread_count ?? 0)
  const loaded = useMessages(chatId, ({ loaded }) => loaded)
  // Marked again when the messages arrive that a chat without a connection did not have.
  const newest = useMessages(chatId, ({ items }) => items.at(-1)?.id)
  useEffect(() => {
    if (unread === 0 || !isAtEnd || !loaded) return
    const mark = () => {
      if (document.visibilityState === 'visible') void chat.markRead()
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [chat, unread, isAtEnd, loaded, newest])
  return unread
}
