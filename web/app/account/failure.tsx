import { useLanguage } from '../language.tsx'
import { type Failure, failureText } from '../requests.ts'
import styles from './layout.module.css'

/** Why an action failed, shown above its button. */
export function FailureText({ failure }: { failure: Failure | null }) {
  const { t } = useLanguage()
  if (failure === null) return null
  return (
    <p className={styles.error} role="alert">
      {failureText(t, failure)}
    </p>
  )
}
