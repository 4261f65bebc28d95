import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Avatar } from '../../shared/ui/avatar.tsx'
import { useBrand } from '../../shared/brand.tsx'
import { useHeading } from '../../shared/ui/focus.ts'
import { useTitle } from '../people/screen.tsx'
import styles from './layout.module.css'

type Props = {
  title: string
  lead?: ReactNode
  children: ReactNode
  footer?: ReactNode
  /** Shown in place of the screen while that is loading. */
  isLoading?: boolean
}

/** The layout of screens for people who are not signed in: the community's name above one task. */
export function AccountLayout({ title, lead, children, footer, isLoading }: Props) {
  useTitle(title)
  const heading = useHeading(isLoading)
  return (
    <div className={styles.page}>
      <header className={styles.brand}>
        <Link href="/">
          <Logo size={32} />
        </Link>
      </header>
      <main className={styles.card}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <p className={styles.lead}>{lead}</p>}
        {children}
      </main>
      {footer && <footer className={styles.footer}>{footer}</footer>}
    </div>
  )
}

/** The operator's logo, or the community's name beside its first letter. */
function Logo({ size }: { size: number }) {
  const { name, logo } = useBrand()
  return (
    <span className={styles.logo}>
      {logo === null ? (
        <Avatar name={name} photo={null} size={size} />
      ) : (
        <img src={logo} alt="" height={size} className={styles.picture} />
      )}
      <span>{name}</span>
    </span>
  )
}
