import { useLanguage } from '../language.tsx'
import { type Failure, failureText } from '../requests.ts'
import styles from './layout.module.css'

/** Why something was not done, above the button that can be pressed again. */
export function FailureText({ failure }: { failure: Failure | null }) {
  const { t } = useLanguage()
  if (failure === null) return null
  return (
    <p className={styles.error} role="alert">
      {failureText(t, failure)}
    </p>
  )
}
