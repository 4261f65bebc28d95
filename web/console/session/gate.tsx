import type { Me } from 'convene-client'
import { useConvene, useSession } from 'convene-client/react'
import { Activity, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { storeNoDrafts } from '../../shared/kept-drafts.ts'
import { Button } from '../../shared/ui/button.tsx'
import { SkeletonRows } from '../../shared/ui/state.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { useLanguage } from '../language.tsx'
import { useResource, watchFailures } from '../requests.ts'
import { StaffProvider } from '../staff.tsx'
import { Confirm } from './confirm.tsx'
import { Front } from './front.tsx'
import { SignIn } from './sign-in.tsx'

/** Shows the console to moderators and admins, and a sign-in or an explanation to everybody else. */
export function Gate({ children }: { children: ReactNode }) {
  const { t } = useLanguage()
  const { ready } = useConvene()
  const { state, user } = useSession()
  const [isReady, setIsReady] = useState(false)
  useEffect(() => void ready.then(() => setIsReady(true)), [ready])
  useEffect(() => {
    if (isReady && state === 'signed-out') storeNoDrafts()
  }, [isReady, state])
  if (!isReady) return <SkeletonRows label={t('console.loading')} />
  if (state === 'signed-out' || !user) return <SignIn />
  return (
    <>
      {/* The screens stay mounted, so that drafts are still there after signing in again. */}
      <Activity mode={state === 'ended' ? 'hidden' : 'visible'} key={user.id}>
        <Admitted user={user}>{children}</Admitted>
      </Activity>
      {state === 'ended' && <SignIn ended={user} />}
    </>
  )
}

function Admitted({ user, children }: { user: Me; children: ReactNode }) {
  const { t } = useLanguage()
  const client = useConvene()
  // The stored session may have an old role. Reading `/me` updates it.
  const { data, failure, reload } = useResource(() => client.api.GET('/api/v1/me'))
  const [asksForPasskey, setAsksForPasskey] = useState(false)
  useEffect(
    () =>
      watchFailures((failed) => {
        if (failed === 'offline') return
        if (failed.code === 'second_factor_required') setAsksForPasskey(true)
        // The role may have been revoked.
        if (failed.code === 'forbidden') void reload()
      }),
    [reload],
  )
  const { id, name, role } = user
  // When a role is lost, its screens close. Remember that there was one, to explain it.
  const [known, setKnown] = useState({ role, hadRole: false })
  if (known.role !== role) setKnown({ role, hadRole: known.role !== 'user' })
  const toast = useToast()
  const wasAdmin = useRef(role === 'admin')
  useEffect(() => {
    if (wasAdmin.current && role === 'moderator') toast(t('console.gate.noAdmin'))
    wasAdmin.current = role === 'admin'
  }, [role, toast, t])
  const staff = useMemo(() => ({ id, name, isAdmin: role === 'admin' }), [id, name, role])
  if (role === 'user')
    return data || failure ? (
      <Front
        title={t('console.gate.title')}
        lead={t(known.hadRole ? 'console.gate.lost' : 'console.gate.text', { name: name ?? user.email ?? '' })}
        isSudden={known.hadRole}
      >
        <Button look="primary" wide onClick={() => client.signOut()}>
          {t('console.gate.other')}
        </Button>
        <a href="/">{t('console.gate.app')}</a>
      </Front>
    ) : (
      <SkeletonRows label={t('console.loading')} />
    )
  return (
    <StaffProvider value={staff}>
      <Activity mode={asksForPasskey ? 'hidden' : 'visible'}>{children}</Activity>
      {asksForPasskey && <Confirm onDone={() => setAsksForPasskey(false)} />}
    </StaffProvider>
  )
}
