import { useLanguage } from '../language.tsx'
import { type Failure, failureText } from '../requests.ts'
import styles from './ui.module.css'

/** Why an action failed, shown beside its button. */
export function FailureText({ failure }: { failure: Failure | null }) {
  const { t } = useLanguage()
  if (failure === null) return null
  return (
    <p className={styles.failure} role="alert">
      {failureText(t, failure)}
    </p>
  )
}
