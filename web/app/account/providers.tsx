import { passkey, type components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Fingerprint, LogIn, Send } from 'lucide-react'
import { Button } from '../../shared/ui/button.tsx'
import { useBrand } from '../brand.tsx'
import { useLanguage } from '../language.tsx'
import { type Failure, failureOf, type Resource, useAction, useResource } from '../requests.ts'
import { isInTelegram } from '../telegram/launch.ts'
import { FailureText } from './failure.tsx'
import styles from './layout.module.css'

export type Providers = components['schemas']['Providers']

export function useProviders(): Resource<Providers> {
  const { api } = useConvene()
  return useResource(() => api.GET('/api/v1/auth/providers'))
}

const hasPasskeys = () => 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** The ways to sign in besides a password. Nothing where there are none. */
export function OtherWays({ providers }: { providers: Providers | null }) {
  const { t } = useLanguage()
  const { messenger } = useBrand()
  const client = useConvene()
  const withPasskey = useAction(async (): Promise<Failure | null> => {
    try {
      await client.signIn(passkey())
      return null
    } catch (error) {
      // Who closes the browser's dialog has changed their mind.
      if (error instanceof DOMException) return null
      return failureOf(error)
    }
  })
  const bot = providers?.messenger?.bot ?? null
  const app = messenger?.app ?? null
  const showsPasskey = providers?.passkey === true && hasPasskeys()
  const showsBot = bot !== null && !isInTelegram
  if (!providers || (providers.oidc.length === 0 && !showsPasskey && !showsBot)) return null
  return (
    <div className={styles.buttons}>
      <p className={styles.or}>{t('account.or')}</p>
      {providers.oidc.map(({ name, label }) => (
        <a
          key={name}
          className={styles.buttonLink}
          href={`/api/v1/auth/oidc/${encodeURIComponent(name)}/start?return_to=${encodeURIComponent('/signed-in')}`}
        >
          <LogIn size={20} aria-hidden />
          {t('account.signIn.with', { provider: label })}
        </a>
      ))}
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
