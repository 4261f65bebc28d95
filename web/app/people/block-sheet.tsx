import type { Problem } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { useLanguage } from '../language.tsx'
import { type Failure, failureText, outcomeOf } from '../requests.ts'
import { useNearbyStore } from './nearby-store.ts'
import styles from './person.module.css'
import { problemText } from './problems.ts'

/** Lifts a block, and reads again the lists from which it has kept somebody. */
export function useUnblock() {
  const { api, chats } = useConvene()
  const store = useNearbyStore()
  return async (id: string): Promise<Failure | null> => {
    const { failure } = await outcomeOf(api.DELETE('/api/v1/blocks/{id}', { params: { path: { id } } }))
    if (failure !== null) return failure
    void chats.list.load()
    if (store.get().loaded) void store.load()
    return null
  }
}

/** Blocks somebody, and offers to undo it. */
export function useBlock(userId: string, name: string) {
  const { t } = useLanguage()
  const { api, chats } = useConvene()
  const store = useNearbyStore()
  const toast = useToast()
  const unblock = useUnblock()
  return async (): Promise<Problem | 'offline' | null> => {
    const { data, error } = await api
      .POST('/api/v1/blocks', { body: { user_id: userId } })
      .catch(() => ({ data: undefined, error: undefined }))
    if (!data) return error ?? 'offline'
    store.forget(userId)
    void chats.list.load()
    toast(t('people.blocked', { name }), {
      label: t('people.unblock'),
      run: async () => {
        const failure = await unblock(data.id)
        toast(failure === null ? t('people.unblocked', { name }) : failureText(t, failure))
      },
    })
    return null
  }
}

/** Explains what a block does, and blocks. */
export function BlockSheet({ userId, name, onClose }: { userId: string; name: string; onClose: () => void }) {
  const { t } = useLanguage()
  const block = useBlock(userId, name)
  const [, go] = useLocation()
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState<Problem | 'offline' | null>(null)
  async function confirm() {
    const { pathname } = location
    setBusy(true)
    const refused = await block()
    setBusy(false)
    setFailed(refused)
    if (refused !== null) return
    onClose()
    // Do not navigate if the user has left this screen meanwhile.
    if (location.pathname === pathname) go('/chats')
  }
  return (
    <Sheet title={t('people.blockTitle', { name })} closeLabel={t('app.close')} onClose={onClose}>
      <div className={styles.sheet}>
        <p>{t('people.blockHint')}</p>
        {failed && <p role="alert">{problemText(t, failed === 'offline' ? null : failed)}</p>}
        <Button look="danger" wide busy={busy} onClick={() => void confirm()}>
          {t('people.block')}
        </Button>
        <Button look="quiet" wide onClick={onClose}>
          {t('people.cancel')}
        </Button>
      </div>
    </Sheet>
  )
}
