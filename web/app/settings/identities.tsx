import type { components } from 'convene-client'
import { useConvene, useSession } from 'convene-client/react'
import { Fingerprint, KeyRound, LogIn, Send } from 'lucide-react'
import { useEffect, useState } from 'react'
import { dateOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { FailureText } from '../account/failure.tsx'
import { type Providers, useProviders } from '../account/providers.tsx'
import { useLanguage } from '../language.tsx'
import { type Failure, failureText, outcomeOf, useAction, useResource } from '../requests.ts'
import { isInTelegram } from '../telegram/launch.ts'
import { useTelegram } from '../telegram/telegram.tsx'
import { Group, Loaded, Part, useFocusAfterRemoval } from './loaded.tsx'
import { AddPasskey } from './add-passkey.tsx'
import { asksForPassword, ConfirmSheet } from './confirm-sheet.tsx'
import { PasswordForm } from './password-form.tsx'
import styles from './settings.module.css'

type Identity = components['schemas']['Identity']
const hasPassword = (items: readonly Identity[]) => items.some(({ kind }) => kind === 'password')
const icons = { password: KeyRound, messenger: Send, oidc: LogIn, passkey: Fingerprint }

/** The ways to sign in to the account. */
export default function Identities() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const { data: providers } = useProviders()
  const identities = useResource(() => api.GET('/api/v1/me/identities'))
  useFocusAfterRemoval(identities.data?.items.length)
  return (
    <Part title={t('settings.identities.title')}>
      <Loaded of={identities}>
        {({ items }) => (
          <>
            <Group>
              {items.map((identity) => (
                <IdentityCard key={identity.id} identity={identity} onChange={identities.reload} />
              ))}
            </Group>
            {providers?.passkey && <AddPasskey onChange={identities.reload} />}
            <LinkProviders items={items} providers={providers} />
            <LinkTelegram items={items} onChange={identities.reload} />
            <PasswordForm hasPassword={hasPassword(items)} onChange={identities.reload} />
          </>
        )}
      </Loaded>
    </Part>
  )
}

function IdentityCard({ identity, onChange }: { identity: Identity; onChange: () => void }) {
  const { t, language } = useLanguage()
  const { api } = useConvene()
  const Icon = icons[identity.kind]
  const remove = useAction(async () => {
    const { failure } = await outcomeOf(
      api.DELETE('/api/v1/me/identities/{id}', { params: { path: { id: identity.id } } }),
    )
    if (!failure) onChange()
    return failure
  })
  const isLast = remove.failure !== null && remove.failure !== 'offline' && remove.failure.code === 'last_identity'
  const used = identity.last_used_at
  return (
    <article className={styles.card}>
      <div>
        <h2>
          <Icon size={18} aria-hidden /> {t(`settings.identities.${identity.kind}`)}
        </h2>
        {identity.kind !== 'password' && <p>{identity.label}</p>}
        <p className={styles.quiet}>
          {used === null
            ? t('settings.identities.unused')
            : t('settings.identities.used', { date: dateOf(language, new Date(used)) })}
        </p>
      </div>
      <div className={styles.actions}>
        <Button look="danger" busy={remove.busy} onClick={() => remove.run()}>
          {t('settings.remove')}
        </Button>
      </div>
      {isLast ? (
        <p className={styles.error} role="alert">
          {t('settings.identities.last')}
        </p>
      ) : (
        <FailureText failure={remove.failure} />
      )}
    </article>
  )
}

/**
 * Sends the browser to a provider, to link an account there with this one. It comes back here, with `#error=<code>` if that
 * failed. Not in Telegram, in whose frame browsers keep no cookies, which this needs.
 */
function LinkProviders({ items, providers }: { items: readonly Identity[]; providers: Providers | null }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [refusal] = useState(() => new URLSearchParams(location.hash.slice(1)).get('error'))
  useEffect(() => {
    if (refusal !== null) history.replaceState(history.state, '', location.pathname)
  }, [refusal])
  const [asking, setAsking] = useState<Providers['oidc'][number] | null>(null)
  const link = useAction(async (provider: Providers['oidc'][number], password?: string) => {
    const { data, failure } = await outcomeOf(
      api.POST('/api/v1/me/identities/oidc/{provider}/start', {
        params: { path: { provider: provider.name } },
        body: { return_to: location.pathname, password },
        // The callback recognises this browser by a cookie.
        credentials: 'same-origin',
      }),
    )
    if (data) location.assign(data.url)
    const asks = hasPassword(items) && asksForPassword(password, failure)
    setAsking(asks ? provider : null)
    return asks && password === undefined ? null : failure
  })
  const linked = new Set(items.map(({ provider }) => provider))
  const others = isInTelegram ? [] : (providers?.oidc ?? []).filter(({ name }) => !linked.has(name))
  if (others.length === 0 && refusal === null) return null
  return (
    <Group>
      {others.map((provider) => (
        <Button
          key={provider.name}
          wide
          busy={link.busy}
          icon={<LogIn size={20} aria-hidden />}
          onClick={() => link.run(provider)}
        >
          {t('settings.identities.linkWith', { provider: provider.label })}
        </Button>
      ))}
      {refusal !== null && !link.busy && !link.failure && (
        <p className={styles.error} role="alert">
          {t(refusal === 'identity_taken' ? 'settings.identities.takenThere' : 'settings.identities.notLinked')}
        </p>
      )}
      {asking ? (
        <ConfirmSheet
          title={t('settings.identities.linkWith', { provider: asking.label })}
          busy={link.busy}
          failure={link.failure}
          onConfirm={(password) => link.run(asking, password)}
          onClose={() => setAsking(null)}
        />
      ) : (
        <FailureText failure={link.failure} />
      )}
    </Group>
  )
}

/** In Telegram, links the Telegram user with this account, which was created elsewhere. */
function LinkTelegram({ items, onChange }: { items: readonly Identity[]; onChange: () => void }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const messengerId = useSession(({ user }) => user?.messenger_id ?? null)
  const initData = useTelegram()?.sdk.initData ?? null
  const [isAsking, setIsAsking] = useState(false)
  const link = useAction(async (password?: string): Promise<Failure | null> => {
    if (initData === null) return null
    const body = { init_data: initData, password }
    const { failure } = await outcomeOf(api.POST('/api/v1/me/identities/messenger', { body }))
    if (!failure) onChange()
    const asks = hasPassword(items) && asksForPassword(password, failure)
    setIsAsking(asks)
    return asks && password === undefined ? null : failure
  })
  if (initData === null || messengerId !== null || items.some(({ kind }) => kind === 'messenger')) return null
  return (
    <Group>
      <Button wide busy={link.busy} icon={<Send size={20} aria-hidden />} onClick={() => link.run()}>
        {t('settings.identities.linkTelegram')}
      </Button>
      {isAsking && (
        <ConfirmSheet
          title={t('settings.identities.linkTelegram')}
          busy={link.busy}
          failure={link.failure}
          onConfirm={(password) => link.run(password)}
          onClose={() => setIsAsking(false)}
        />
      )}
      {link.failure && !isAsking && (
        <p className={styles.error} role="alert">
          {link.failure !== 'offline' && link.failure.code === 'identity_taken'
            ? t('settings.identities.taken')
            : failureText(t, link.failure)}
        </p>
      )}
    </Group>
  )
}
