import type { ReactNode } from 'react'
import { useBrand } from '../../shared/brand.tsx'
import { useLanguage } from '../language.tsx'
import styles from './front.module.css'

type Props = {
  title: string
  lead?: string
  /** Whether the page replaces another one without an action of the user, so that screen readers announce it. */
  isSudden?: boolean
  children: ReactNode
}

/** A page with a single task, shown instead of the console. */
export function Front({ title, lead, isSudden = false, children }: Props) {
  const { t } = useLanguage()
  const { name, logo } = useBrand()
  return (
    <main className={styles.front}>
      <p className={styles.brand}>
        {logo !== null && <img src={logo} alt="" width={24} height={24} />}
        {t('console.name', { name })}
      </p>
      <div className={styles.card}>
        <h1>{title}</h1>
        {lead && (
          <p className={styles.lead} role={isSudden ? 'alert' : undefined}>
            {lead}
          </p>
        )}
        {children}
      </div>
    </main>
  )
}
