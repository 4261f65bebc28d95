import { useLanguage } from '../language.tsx'
import { type Failure, failureText } from '../requests.ts'
import styles from './layout.module.css'

/** Why an action failed, shown above its button. `conflict` is the text of that code, which means something else for each action. */
export function FailureText({ failure, conflict }: { failure: Failure | null; conflict?: string }) {
  const { t } = useLanguage()
  if (failure === null) return null
  const isConflict = failure !== 'offline' && failure.code === 'conflict'
  return (
    <p className={styles.error} role="alert">
      {isConflict && conflict !== undefined ? conflict : failureText(t, failure)}
    </p>
  )
}
