import type { ReactNode } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { useLanguage } from '../language.tsx'
import type { Failure } from '../requests.ts'
import { FailureReason } from './failure.tsx'
import styles from './ui.module.css'

/** Grey lines in the shape of the content that is loading. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const { t } = useLanguage()
  return (
    <div className={styles.skeleton} role="status" aria-label={t('console.loading')}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} aria-hidden />
      ))}
    </div>
  )
}

type Props<Data> = {
  of: { data: Data | null; failure: Failure | null; reload: () => Promise<unknown> }
  children: (data: Data) => ReactNode
}

/** Shows the data of a resource, a skeleton while it loads, or why it could not be read. */
export function Loaded<Data>({ of: { data, failure, reload }, children }: Props<Data>) {
  if (data !== null) return <>{children(data)}</>
  if (failure !== null) return <Failed failure={failure} onRetry={reload} />
  return <Skeleton />
}

export function Failed({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  const { t } = useLanguage()
  return (
    <div className={styles.empty} role="alert">
      <p>
        <FailureReason failure={failure} />
      </p>
      <Button onClick={onRetry}>{t('console.retry')}</Button>
    </div>
  )
}

/** A list without entries: why, and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    // Focusable, so that keys can scroll it if the list is too low.
    <div className={styles.empty} tabIndex={0}>
      <h2>{title}</h2>
      {children && <div>{children}</div>}
    </div>
  )
}
