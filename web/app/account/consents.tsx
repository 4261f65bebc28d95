import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Checkbox } from '../../shared/ui/field.tsx'
import { useLanguage } from '../language.tsx'
import { outcomeOf, useAction } from '../requests.ts'
import { useMainButton } from '../telegram/telegram.tsx'
import { FailureText } from './failure.tsx'
import { AccountLayout } from './layout.tsx'
import styles from './layout.module.css'
import { LegalSheet } from './legal.tsx'

export type ConsentKind = components['schemas']['LegalKind']
export const mandatory: readonly ConsentKind[] = ['terms', 'privacy', 'disclaimer']
export const isConsentKind = (name: string): name is ConsentKind => mandatory.some((kind) => kind === name)

type Props = {
  kinds: readonly ConsentKind[]
  agreed: readonly ConsentKind[]
  onChange: (agreed: readonly ConsentKind[]) => void
  error: string | null
}

/** A checkbox for each text, with a link to read it. */
export function ConsentFields({ kinds, agreed, onChange, error }: Props) {
  const { t } = useLanguage()
  const [read, setRead] = useState<ConsentKind | null>(null)
  return (
    <fieldset className={styles.consents}>
      <legend className="unseen">{t('account.consents.legend')}</legend>
      {kinds.map((kind) => (
        <div key={kind} className={styles.consent}>
          <Checkbox
            name={kind}
            checked={agreed.includes(kind)}
            onChange={(isChecked) => onChange(isChecked ? [...agreed, kind] : agreed.filter((each) => each !== kind))}
          >
            {t(`account.consents.${kind}`)}
          </Checkbox>
          <button type="button" className={styles.inline} onClick={() => setRead(kind)}>
            {t('account.consents.read')} <span className="unseen">{t(`account.legal.${kind}`)}</span>
          </button>
        </div>
      ))}
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {read && <LegalSheet kind={read} onClose={() => setRead(null)} />}
    </fieldset>
  )
}

/** Asks for the missing consents, as after the first visit from a messenger or a new version of a text. */
export function ConsentGate({ missing, onLater }: { missing: readonly ConsentKind[]; onLater: () => void }) {
  const { t } = useLanguage()
  const client = useConvene()
  const [agreed, setAgreed] = useState<readonly ConsentKind[]>([])
  const isComplete = missing.every((kind) => agreed.includes(kind))
  const give = useAction(async () => {
    const consents = Object.fromEntries(missing.map((kind) => [kind, true]))
    const { failure } = await outcomeOf(client.api.POST('/api/v1/auth/consents', { body: { consents } }))
    // Reading `/me` updates `consents_missing` of the session's user.
    return failure ?? (await outcomeOf(client.api.GET('/api/v1/me'))).failure
  })
  const press = () => void give.run()
  const hasMain = useMainButton(t('account.consents.agree'), isComplete, give.busy, press)
  return (
    <AccountLayout title={t('account.consents.title')} lead={t('account.consents.lead')}>
      <ConsentFields kinds={missing} agreed={agreed} onChange={setAgreed} error={null} />
      <FailureText failure={give.failure} />
      <div className={styles.buttons}>
        {!hasMain && (
          <Button look="primary" wide busy={give.busy} disabled={!isComplete} onClick={press}>
            {t('account.consents.agree')}
          </Button>
        )}
        <Button look="quiet" wide onClick={onLater}>
          {t('account.consents.later')}
        </Button>
      </div>
    </AccountLayout>
  )
}
