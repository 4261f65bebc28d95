import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { WifiOff } from 'lucide-react'
import { Button } from '../../shared/ui/button.tsx'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { failureText, type Resource } from '../requests.ts'
import { Screen } from '../people/screen.tsx'
import styles from './settings.module.css'

/** Shows the data of a resource, a skeleton while it loads, or why it could not be read. */
export function Loaded<Data>({ of, children }: { of: Resource<Data>; children: (data: Data) => ReactNode }) {
  const { t } = useLanguage()
  const { data, failure, reload } = of
  if (data !== null) return children(data)
  if (failure === null) return <SkeletonRows label={t('app.loading')} count={3} />
  return (
    <State
      icon={failure === 'offline' ? <WifiOff size={32} /> : undefined}
      title={failureText(t, failure)}
      action={<Button onClick={reload}>{t('app.retry')}</Button>}
    />
  )
}

type PartProps = {
  title: string
  children: ReactNode
  back?: string
  /** Where the user has left the screen, to which they come back. */
  left?: { scrollTop: number }
}

/** A screen of the settings. */
export function Part({ title, children, back = '/settings', left }: PartProps) {
  const body = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (left && body.current) body.current.scrollTop = left.scrollTop
  }, [left])
  return (
    // It may hold nothing to focus: the keyboard scrolls it all the same.
    <Screen
      ref={body}
      title={title}
      back={back}
      tabIndex={0}
      role="group"
      aria-label={title}
      onScroll={left && (({ scrollTop }) => (left.scrollTop = scrollTop))}
    >
      <div className={styles.body}>{children}</div>
    </Screen>
  )
}

/** Focuses the heading of the screen after an item has gone from its list, and the focus with it. */
export function useFocusAfterRemoval(count: number | undefined) {
  const before = useRef(count)
  useEffect(() => {
    const isFewer = count !== undefined && before.current !== undefined && count < before.current
    before.current = count
    if (isFewer && document.activeElement === document.body) document.querySelector('h1')?.focus()
  }, [count])
}

export function Group({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className={styles.group}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  )
}
