import { errorAt } from '../field-errors.ts'
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

/** The server's error for the field at `path`, shown below a control that has no place for one. */
export function FailureAt({ path, failure }: { path: string; failure: Failure | null }) {
  const { t } = useLanguage()
  const error = errorAt(failure, path)
  if (error === null) return null
  return (
    <p className={styles.failure} role="alert">
      {t('console.failure.refused', { why: error.message })}
    </p>
  )
}
