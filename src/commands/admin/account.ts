import { type Config, readConfig } from '../../config.ts'
import type { User } from '../../features/profile/store.ts'
import type { Storage } from '../../storage/storage.ts'
import { besideServer } from '../database.ts'

type Account = { storage: Storage; config: Config; user: User }

/** Runs `work` on an account, beside running servers. Throws if there is no such account. */
export async function withAccount<T>(who: string, work: (account: Account) => Promise<T>): Promise<T> {
  const config = readConfig()
  return besideServer(config, async (storage) => {
    const { by, named } = nameOf(who.trim())
    const credentials = await storage.accounts.credentials(by)
    const user = credentials && (await storage.users.byId(credentials.user_id))
    if (!user) throw new Error(`there is no account with the ${named} ${who}`)
    return work({ storage, config, user })
  })
}

function nameOf(who: string) {
  if (who.includes('@')) return { by: { email: who.normalize('NFC').toLowerCase() }, named: 'e-mail address' }
  if (who.startsWith('+')) return { by: { phone: who }, named: 'phone number' }
  if (/^\d+$/.test(who)) return { by: { messenger_id: who }, named: 'messenger id' }
  return { by: { user_id: who.toLowerCase() }, named: 'id' }
}
