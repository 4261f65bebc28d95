import { ArrowLeft } from 'lucide-react'
import { type HTMLAttributes, type ReactNode, type Ref, useEffect } from 'react'
import { Link } from 'wouter'
import { useHeading } from '../../shared/ui/focus.ts'
import { useLanguage } from '../language.tsx'
import styles from './screen.module.css'

/** Whether the previous page belongs to this app; undefined in browsers that do not say. */
export const canGoBack = (): boolean | undefined =>
  (window as { navigation?: { canGoBack: boolean } }).navigation?.canGoBack

/** A back button. In a tab without history, it is a link to `to`. */
export function BackLink({ to }: { to: string }) {
  const { t } = useLanguage()
  return (
    <Link
      href={to}
      className={styles.back}
      aria-label={t('app.back')}
      title={t('app.back')}
      onClick={(event) => {
        if (!canGoBack() || event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        history.back()
      }}
    >
      <ArrowLeft size={22} aria-hidden />
    </Link>
  )
}

/** The rest are attributes of the scrolling element. */
type Props = Pick<HTMLAttributes<HTMLDivElement>, 'aria-label' | 'role' | 'tabIndex'> & {
  title: string
  /** The target of the back button; the three main screens have none. */
  back?: string
  actions?: ReactNode
  /** Shown in place of the screen while that is loading. */
  isLoading?: boolean
  children: ReactNode
  /** The scrolling element. */
  ref?: Ref<HTMLDivElement>
  onScroll?: (element: HTMLDivElement) => void
}

/** A title bar above a scrolling body. */
export function Screen({ title, back, actions, isLoading = false, children, ref, onScroll, ...body }: Props) {
  useTitle(title)
  const heading = useHeading(isLoading)
  return (
    <section className={styles.screen}>
      <header className={`${styles.bar} ${back === undefined ? '' : styles.withBack}`}>
        {back !== undefined && <BackLink to={back} />}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </header>
      <div
        ref={ref}
        className={styles.body}
        onScroll={onScroll && ((event) => onScroll(event.currentTarget))}
        {...body}
      >
        {children}
      </div>
    </section>
  )
}

/** Sets the document's title, for the browser's tab and screen readers. */
export function useTitle(title: string) {
  const { t } = useLanguage()
  useEffect(() => {
    document.title = `${title} · ${t('app.name')}`
  }, [title, t])
}
