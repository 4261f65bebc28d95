import type { ReactNode } from 'react'
import { useBrand } from '../../shared/brand.tsx'
import { useLanguage } from '../language.tsx'
import styles from './front.module.css'

/** A page with one thing to do, before the console itself. */
export function Front({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
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
        {lead && <p className={styles.lead}>{lead}</p>}
        {children}
      </div>
    </main>
  )
}
