import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useLanguage } from '../language.tsx'
import styles from './tiles.module.css'

/** The row of numbers at the top of a screen. */
export const Tiles = ({ children }: { children: ReactNode }) => <div className={styles.tiles}>{children}</div>

type Props = {
  /** The list of what the number counts, if there is one. */
  href?: string | null
  value: string | number
  label: string
  isLate?: boolean
}

export function Tile({ href, value, label, isLate = false }: Props) {
  const { language } = useLanguage()
  const className = isLate ? `${styles.tile} ${styles.late}` : styles.tile
  const content = (
    <>
      <b>{typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value}</b>
      <span>{label}</span>
    </>
  )
  return href && value !== 0 ? (
    <Link href={href} className={className}>
      {content}
    </Link>
  ) : (
    <p className={className}>{content}</p>
  )
}
