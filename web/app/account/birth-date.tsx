import { Field } from '../../shared/ui/field.tsx'
import { useLanguage } from '../language.tsx'
import { type Failure, failureText, fieldText } from '../requests.ts'

type Props = { years: number; value: string; onChange: (value: string) => void; failure: Failure | null }

/** What is wrong with the sent date; null if the failure has another cause. */
export function useBirthDateError(failure: Failure | null): string | null {
  const { t } = useLanguage()
  const isTooYoung = failure !== null && failure !== 'offline' && failure.code === 'too_young'
  return isTooYoung ? failureText(t, failure) : fieldText(t, failure, '/birth_date')
}

/** The date of birth, for communities with a minimum age. */
export function BirthDateField({ years, value, onChange, failure }: Props) {
  const { t } = useLanguage()
  return (
    <Field
      label={t('account.birthDate')}
      hint={t('account.birthDate.hint', { count: years })}
      error={useBirthDateError(failure)}
      name="bday"
      type="date"
      autoComplete="bday"
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
