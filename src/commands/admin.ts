import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { auditService } from '../features/audit/service.ts'
import type { Role } from '../features/profile/store.ts'
import { ids } from '../ids.ts'
import { UsageError } from './command.ts'
import { openBesideServer } from './database.ts'

export const help = `usage: convene admin grant EMAIL moderator|admin
       convene admin revoke EMAIL moderator|admin

Gives an account a role, or takes it away again. Works while the server runs, and counts from the next request on;
nobody has to log in anew. Each change is written to the audit log.

  moderator   reads reports and appeals, decides on them, suspends and warns, reads the audit log
  admin       the same, over moderators too

The first admin of a new installation is made this way: register, then convene admin grant you@example.org admin`

const roles = ['moderator', 'admin'] as const

export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [action, email, named, ...more] = positionals
  if (action !== 'grant' && action !== 'revoke')
    throw new UsageError(`admin takes grant or revoke${action === undefined ? '' : `, not '${action}'`}`)
  if (email === undefined) throw new UsageError(`whose role? admin ${action} EMAIL ${roles.join('|')}`)
  const role = roles.find((known) => known === named)
  if (role === undefined) throw new UsageError(`the role must be ${roles.join(' or ')}`)
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  console.log(await change(action, email, role))
}

async function change(action: 'grant' | 'revoke', email: string, role: Exclude<Role, 'user'>): Promise<string> {
  const { storage, close } = await openBesideServer(readConfig())
  try {
    const audit = auditService({ store: storage.audit, ids, now: Date.now })
    const credentials = await storage.accounts.credentials({ email: email.trim().normalize('NFC').toLowerCase() })
    const user = credentials && (await storage.users.byId(credentials.user_id))
    if (!user) throw new Error(`there is no account with the e-mail address ${email}`)
    if (action === 'revoke' && user.role !== role) throw new Error(`${email} is no ${role}, but ${user.role}`)
    if (action === 'grant' && user.role === role) return `${email} is ${role} already`
    const to = action === 'grant' ? role : 'user'
    // Begun in one turn, the two are written in one transaction of SQLite's.
    await Promise.all([
      storage.users.setRole(user.id, to, Date.now()),
      audit.record(action === 'grant' ? 'role_granted' : 'role_revoked', null, user.id, { role, before: user.role }),
    ])
    return action === 'grant' ? `${email} is ${role} now` : `${email} is no ${role} any more`
  } finally {
    await close()
  }
}
