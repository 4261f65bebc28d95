import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Fingerprint, LogIn, Send } from 'lucide-react'
import { canUsePasskeys, signInWithPasskey } from '../../shared/passkeys.ts'
import { Button } from '../../shared/ui/button.tsx'
import { useBrand } from '../../shared/brand.tsx'
import { useLanguage } from '../language.tsx'
import { outcomeOf, type Resource, useAction, useResource } from '../requests.ts'
import { isInTelegram } from '../telegram/launch.ts'
import { FailureText } from './failure.tsx'
import styles from './layout.module.css'
import { returnPage } from './opened-page.ts'

export type Providers = components['schemas']['Providers']

export function useProviders(): Resource<Providers> {
  const { api } = useConvene()
  return useResource(() => api.GET('/api/v1/auth/providers'))
}

/** What a new account from a provider needs here: an invitation, a date of birth, or both. Empty if it is not entered yet. */
export type NewAccount = { invite?: string; birth_date?: string }

/** The ways to sign in besides a password, if there are any. With `newAccount`, the providers' buttons sign up with it. */
export function OtherWays({ providers, newAccount }: { providers: Providers | null; newAccount?: NewAccount }) {
  const { t } = useLanguage()
  const { messenger } = useBrand()
  const client = useConvene()
  const withPasskey = useAction(() => signInWithPasskey(client))
  const bot = providers?.messenger?.bot ?? null
  const app = messenger?.app ?? null
  const showsPasskey = providers?.passkey === true && canUsePasskeys()
  const showsBot = bot !== null && !isInTelegram
  if (!providers || (providers.oidc.length === 0 && !showsPasskey && !showsBot)) return null
  return (
    <div className={styles.buttons}>
      <p className={styles.or}>{t('account.or')}</p>
      {providers.oidc.map(({ name, label }) =>
        newAccount ? (
          <SignUpWith key={name} name={name} label={label} newAccount={newAccount} />
        ) : (
          <a
            key={name}
            className={styles.buttonLink}
            href={`/api/v1/auth/oidc/${encodeURIComponent(name)}/start?return_to=${encodeURIComponent(returnPage())}`}
          >
            <LogIn size={20} aria-hidden />
            {t('account.signIn.with', { provider: label })}
          </a>
        ),
      )}
      {showsPasskey && (
        <Button
          wide
          busy={withPasskey.busy}
          icon={<Fingerprint size={20} aria-hidden />}
          onClick={() => withPasskey.run()}
        >
          {t('account.signIn.passkey')}
        </Button>
      )}
      {showsBot && (
        <a className={styles.buttonLink} href={`https://t.me/${bot}${app === null ? '' : `/${app}`}`}>
          <Send size={20} aria-hidden />
          {t('account.signIn.telegram')}
        </a>
      )}
      <FailureText failure={withPasskey.failure} />
    </div>
  )
}

/** The same for a new account. What it needs is posted, because no URL may contain it. */
function SignUpWith({ name, label, newAccount }: { name: string; label: string; newAccount: NewAccount }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const start = useAction(async () => {
    const { data, failure } = await outcomeOf(
      api.POST('/api/v1/auth/oidc/{provider}/start', {
        params: { path: { provider: name } },
        body: { return_to: returnPage(), ...newAccount },
        // The callback recognises this browser by a cookie.
        credentials: 'same-origin',
      }),
    )
    if (data) location.assign(data.url)
    return failure
  })
  return (
    <>
      <Button
        wide
        busy={start.busy}
        disabled={Object.values(newAccount).includes('')}
        icon={<LogIn size={20} aria-hidden />}
        onClick={() => start.run()}
      >
        {t('account.signIn.with', { provider: label })}
      </Button>
      <FailureText failure={start.failure} />
    </>
  )
}
