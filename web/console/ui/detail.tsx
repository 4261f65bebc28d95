import { ArrowLeft, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useLanguage } from '../language.tsx'
import type { Failure } from '../requests.ts'
import styles from './detail.module.css'
import { Failed, Skeleton } from './loaded.tsx'

/** Fills the pane while no item of the list is chosen. */
export function NothingChosen({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <div className={styles.nothing}>
      <Icon size={32} strokeWidth={1.25} aria-hidden />
      <p>{children}</p>
    </div>
  )
}

/** Leads back to the list on a small screen, which shows the item alone. */
export function BackToList({ href }: { href: string }) {
  const { t } = useLanguage()
  return (
    <Link href={href} className={styles.back} aria-label={t('queue.back')}>
      <ArrowLeft size={18} aria-hidden />
    </Link>
  )
}

type Props = {
  title: string
  back: ReactNode
  /** The reason why there is no such item, once it is known. */
  missing?: ReactNode
  failure: Failure | null
  reload: () => Promise<unknown>
}

/** The pane of an item that is missing, could not be read, or is still loading. */
export function NoDetail({ title, back, missing, failure, reload }: Props) {
  return (
    <>
      <header className={styles.head}>
        {back}
        <h1>{title}</h1>
      </header>
      {missing || (failure === null ? <Skeleton /> : <Failed failure={failure} onRetry={reload} />)}
    </>
  )
}
