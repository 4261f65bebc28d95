import { errorAt, fieldText } from '../field-errors.ts'
import { useLanguage } from '../language.tsx'
import { type Failure, failureText, isSolvedInApp } from '../requests.ts'
import styles from './ui.module.css'

/** The text of a failure, with a link to the app if that is where to solve it. */
export function FailureReason({ failure }: { failure: Failure }) {
  const { t } = useLanguage()
  return (
    <>
      {failureText(t, failure)}
      {isSolvedInApp(failure) && (
        <>
          {' '}
          {/* In a new tab, so that what was written here stays. */}
          <a href="/" target="_blank" rel="noreferrer">
            {t('console.gate.app')}
          </a>
        </>
      )}
    </>
  )
}

type TextProps = {
  failure: Failure | null
  /** What a `conflict` means for this action. */
  conflict?: string
}

/** Why an action failed, shown beside its button. */
export function FailureText({ failure, conflict }: TextProps) {
  if (failure === null) return null
  return (
    <p className={styles.failure} role="alert">
      {conflict !== undefined && failure !== 'offline' && failure.code === 'conflict' ? (
        conflict
      ) : (
        <FailureReason failure={failure} />
      )}
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
      {fieldText(t, error)}
    </p>
  )
}
