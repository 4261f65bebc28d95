import { type Config, readConfig } from '../../config.ts'
import type { User } from '../../features/profile/store.ts'
import type { Storage } from '../../storage/storage.ts'
import { openBesideServer } from '../database.ts'

export type Account = { storage: Storage; config: Config; user: User }

/** Does something to an account, beside a running server. Throws if there is no such account. */
export async function withAccount<T>(who: string, work: (account: Account) => Promise<T>): Promise<T> {
  const config = readConfig()
  const { storage, close } = await openBesideServer(config)
  try {
    const { by, named } = nameOf(who.trim())
    const credentials = await storage.accounts.credentials(by)
    const user = credentials && (await storage.users.byId(credentials.user_id))
    if (!user) throw new Error(`there is no account with the ${named} ${who}`)
    return await work({ storage, config, user })
  } finally {
    await close()
  }
}

function nameOf(who: string) {
  if (who.includes('@')) return { by: { email: who.normalize('NFC').toLowerCase() }, named: 'e-mail address' }
  if (who.startsWith('+')) return { by: { phone: who }, named: 'phone number' }
  if (/^\d+$/.test(who)) return { by: { messenger_id: who }, named: 'messenger id' }
  return { by: { user_id: who.toLowerCase() }, named: 'id' }
}
