import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from '../config.ts'
import { openErasures } from '../features/account/erasures.ts'
import { ownershipProblem } from '../installation/ownership.ts'
import { lostFiles } from '../features/media/presence.ts'
import { accountMails } from '../features/email/account-mails.ts'
import { emailLinks } from '../features/email/service.ts'
import { linkKeyOf, linkOf } from '../outbox/mail/links.ts'
import { communityService } from '../features/community/service.ts'
import { auditService } from '../features/audit/service.ts'
import { webhookService } from '../features/webhooks/service.ts'
import type { Role } from '../features/profile/store.ts'
import { ids } from '../lib/ids.ts'
import { openLog } from '../telemetry/log.ts'
import { shownPlace } from '../s3/place.ts'
import { readSecrets, secretsAtHand } from '../installation/secrets.ts'
import { DataInUse, holdData } from '../installation/data-directory.ts'
import { openErasureJournal } from '../storage/files/erasure-journal.ts'
import { openFiles, tellOperator } from '../storage/files/open.ts'
import type { Storage } from '../storage/storage.ts'
import { iso } from '../lib/time.ts'
import { withAccount } from './admin/account.ts'
import { isPeopleAction, peopleActions, runOnPeople } from './admin/people.ts'
import { secretsBeside } from './admin/secrets.ts'
import { thrown, UsageError } from './command.ts'
import { besideServer } from './database.ts'

export const help = `usage: convene admin list [--q TEXT] [--role ROLE] [--standing STANDING] [--limit N] [--cursor CURSOR] [--json]
       convene admin show WHO [--json]
       convene admin invite [--uses N] [--expires TIME] [--note TEXT] [--json]
       convene admin invite list [--limit N] [--cursor CURSOR] [--json]
       convene admin invite delete ID [--json]
       convene admin suspend WHO --reason TEXT [--until TIME] [--note TEXT] [--json]
       convene admin unsuspend WHO [--reason TEXT] [--json]
       convene admin end-sessions WHO [--json]
       convene admin reset-password WHO [--json]
       convene admin grant WHO moderator|admin
       convene admin revoke WHO moderator|admin
       convene admin export WHO FILE
       convene admin erase WHO --yes
       convene admin adopt [--yes]
       convene admin lost-photos [--yes]

Manages accounts. WHO is an account's e-mail address, its phone number (+49…), its messenger id (digits) or its id. TIME is
2026-12-01, 2026-12-01T18:00:00Z, or relative to now: 12h, 30d. All actions except adopt work while the server runs, which
applies them within a minute, and all are written to the audit log.

  list     lists accounts, newest first; --q finds them by id, or by the beginning of an e-mail address, a phone number or a
           name. ROLE is user, moderator or admin, STANDING active or suspended. --limit is 30 by default, 100 at most;
           --cursor shows the next page
  show     shows one account: standing, decisions, counts, e-mail, phone, ways to sign in and sessions
  invite   creates an invite for REGISTRATION=invite, and prints its code once. --uses (1) is how many people may register
           with it. list shows invites, newest first, with how often each was used, and delete removes one by its id
  suspend  locks somebody out, until TIME or without end, and shows them the reason; --note is for moderators. Admins cannot
           be suspended
  unsuspend
           lifts the suspension
  end-sessions
           signs somebody out everywhere

  grant    gives the account a role, and revoke takes it away again, from the next request on:
             moderator   reads reports and appeals, decides on them, suspends and warns, reads the audit log
             admin       the same, over moderators too
  export   writes all data of the account to FILE as JSON, for somebody who cannot log in any more: the same as
           GET /api/v1/me/export. FILE must not exist yet, and only this user can read it. The links to images in it are
           valid for at least a day.
  erase    erases the account for good, as DELETE /api/v1/me does: name, login, sessions and position at once, messages
           and photos after that. A running server does the rest, and ends open sockets and tokens in use, within a minute.
           Without --yes it changes nothing and shows the account.

  reset-password
           prints a link that sets a new password, once, within an hour; without PUBLIC_URL its token, for POST
           /api/v1/auth/password/reset. Give it to the person in a way that nobody else can read. Sends no mail.

  adopt    accepts the secrets and the photos that the settings name as those of this database, although they belonged to
           another one, which a start refuses. Without --yes it says what would change. Stop the server, and all nodes, first:
             LOCATION_KEY  each position gets a new published point, which reveals more of where people are. Use it only if
                           the key is lost, or known to somebody together with the database
             JWT_SECRET    everybody has to log in again, and links to images end. On SQLite a start does it by itself
             MEDIA_URL     the photos there become this database's, and those that it does not know are removed

  lost-photos
           says how many photos of the database have no file. As long as there are any, no backup succeeds, because it could
           replace one that has them. Mount the disk, or put the files back from a backup. If they are lost for good, --yes
           replaces each by a grey picture. Works while the server runs.

Before an export or an erasure, make sure that the person who asks for it owns the account. To make the first admin of a new
installation, register, then run: convene admin grant you@example.org admin`

const roles = ['moderator', 'admin'] as const
const operands = {
  grant: ['WHO', 'ROLE'],
  revoke: ['WHO', 'ROLE'],
  export: ['WHO', 'FILE'],
  erase: ['WHO'],
  'reset-password': ['WHO'],
} as const

export const onlyOurDatabase = true

export async function run(args: string[]): Promise<void> {
  const named = args.find((arg) => !arg.startsWith('-'))
  if (named !== undefined && isPeopleAction(named)) return runOnPeople(named, args)
  const { values, positionals } = parseArgs({
    args,
    options: { yes: { type: 'boolean' }, json: { type: 'boolean' } },
    allowPositionals: true,
  })
  const [action = '', who, what, ...more] = positionals
  if (action === 'adopt') return adopt(positionals.slice(1), { sure: values.yes ?? false })
  if (action === 'lost-photos') return replaceLostPhotos(positionals.slice(1), { sure: values.yes ?? false })
  if (!isAction(action))
    throw new UsageError(
      `admin takes ${[...peopleActions, ...Object.keys(operands), 'adopt', 'lost-photos'].join(', ')}${action === '' ? '' : `, not '${action}'`}`,
    )
  if (who === undefined) throw new UsageError(`whose account? admin ${action} ${operands[action].join(' ')}`)
  const surplus = operands[action].length === 1 ? what : more[0]
  if (surplus !== undefined) throw new UsageError(`unexpected argument '${surplus}'`)
  if (values.yes && action !== 'erase') throw new UsageError('--yes goes with erase, adopt and lost-photos')
  if (values.json && action !== 'reset-password') throw new UsageError('--json goes with reset-password')
  if (action === 'reset-password') return resetPassword(who, { json: values.json ?? false })
  if (action === 'erase') return erase(who, { sure: values.yes ?? false })
  if (action === 'export') return exportTo(who, what)
  const role = roles.find((known) => known === what)
  if (role === undefined) throw new UsageError(`the role must be ${roles.join(' or ')}`)
  return changeRole(action, who, role)
}

const isAction = (given: string): given is keyof typeof operands => Object.hasOwn(operands, given)

const auditOf = (storage: Storage) => auditService({ store: storage.audit, ids, now: Date.now, failed: thrown })

const webhooksOf = ({ webhookUrl }: Pick<Config, 'webhookUrl'>) =>
  webhookService({ isOn: webhookUrl !== null, ids, now: Date.now })

async function changeRole(action: 'grant' | 'revoke', who: string, role: Exclude<Role, 'user'>) {
  const done = await withAccount(who, async ({ config, storage, user }) => {
    if (action === 'revoke' && user.role !== role) throw new Error(`${who} is not ${role}, but ${user.role}`)
    if (action === 'grant' && user.role === role) return `${who} is ${role} already`
    const to = action === 'grant' ? role : 'user'
    const named = action === 'grant' ? 'role_granted' : 'role_revoked'
    const entry = auditOf(storage).entry(named, null, user.id, { role, before: user.role })
    const told = webhooksOf(config).about('user.updated', user.id, { user_id: user.id, fields: ['role'] })
    const outcome = await storage.users.setRole(user.id, to, entry, told)
    if (outcome === 'last_admin') throw new Error(`${who} is the only admin: grant the role to somebody else first`)
    if (outcome !== 'changed') throw new Error(`${who} is erased`)
    return action === 'grant' ? `${who} is ${role} now` : `${who} is not ${role} any more`
  })
  console.log(done)
}

async function exportTo(who: string, file: string | undefined) {
  if (file === undefined) throw new UsageError('where to? admin export WHO FILE')
  const path = resolve(file)
  if (existsSync(path)) throw new Error(`${path} exists: choose another name`)
  if (!existsSync(dirname(path))) throw new Error(`there is no directory ${dirname(path)}`)
  await withAccount(who, async ({ storage, config, user }) => {
    const { buildServices } = await import('../services.ts')
    const { account } = buildServices({
      config,
      secrets: await secretsBeside(config, storage),
      storage,
      log: openLog(config),
    })
    // Created first: if that fails, nothing is read.
    closeSync(openSync(path, 'wx', 0o600))
    try {
      const writer = Bun.file(path).writer()
      for await (const piece of await account.exportOf(user.id)) {
        writer.write(piece)
        await writer.flush()
      }
      await writer.end()
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    }
  })
  console.log(`all data of ${who} is in ${path}`)
}

async function erase(who: string, { sure }: { sure: boolean }) {
  const done = await withAccount(who, async ({ storage, config, user }) => {
    const since = iso(user.created_at).slice(0, 10)
    if (!sure)
      throw new UsageError(`${who} is the account ${user.id}, here since ${since}: add --yes to erase it for good`)
    const erasures = openErasures({
      store: storage.erasures,
      journal: openErasureJournal(join(config.dataDir, 'erasures.log')),
      files: openFiles(config, tellOperator),
      audit: auditOf(storage),
      webhooks: webhooksOf(config),
      ids,
      now: Date.now,
    })
    const told = await mailsOf(config, storage).about(user.id, { about: 'account_erased' })
    const erasure = await erasures.begin(user.id, null, told)
    if (!erasure) return `${who} is erased already`
    const release = holdIfFree(config)
    if (!release) return `erased ${who}; the running server removes messages and photos within a minute`
    try {
      await erasures.finish(erasure)
    } finally {
      release()
    }
    return `erased ${who}`
  })
  console.log(done)
}

async function resetPassword(who: string, { json }: { json: boolean }) {
  const given = await withAccount(who, async ({ storage, config, user }) => {
    const key = linkKeyOf(await secretsBeside(config, storage))
    const links = emailLinks({ key, mails: mailsOf(config, storage), verifies: false, ids, now: Date.now })
    const { token, stored } = links.forOperator(user.id)
    if (!(await storage.emails.issue(user.id, [stored], []))) throw new Error(`${who} is erased`)
    await auditOf(storage).record('password_link_made', null, user.id)
    const link = config.publicUrl === null ? null : linkOf(config.publicUrl, 'reset', token)
    return { user_id: user.id, link, token, expires_at: iso(stored.expires_at) }
  })
  console.log(json ? JSON.stringify(given) : (given.link ?? given.token))
}

/** The mails of a server with these settings, which sends what this process puts into the outbox. */
const mailsOf = (config: Config, storage: Storage) =>
  accountMails({
    store: storage.emails,
    isOn: config.smtpUrl !== null,
    wake: () => {},
    limits: { take: async () => null },
    ids,
    now: Date.now,
  })

async function adopt(surplus: readonly string[], { sure }: { sure: boolean }) {
  if (surplus.length > 0) throw new UsageError(`unexpected argument '${surplus[0]}'`)
  const config = readConfig()
  const { database } = config
  // The lock of this DATA_DIR says nothing about nodes, which have others.
  if (sure && database.engine === 'postgres')
    await (await import('../storage/postgres/copy.ts')).refuseAnyNode(database.url)
  await besideServer(config, async (storage) => {
    const release = holdData(config)
    try {
      const files = openFiles(config, tellOperator)
      // Lost secrets are created again only on request.
      const secrets = sure ? readSecrets(config) : secretsAtHand(config)
      const community = communityService({ store: storage.community, secrets, files, ids })
      const foreign = await community.foreignAssets()
      if (foreign.length === 0)
        return console.log('nothing to adopt: the secrets and the photos belong to this database')
      for (const asset of foreign) console.log(ownershipProblem(asset, config).text)
      if (!sure) throw new UsageError('add --yes to adopt them')
      for (const asset of foreign) await community.adopt(asset)
      console.log(`adopted: ${foreign.join(', ')}`)
    } finally {
      release()
    }
  })
}

async function replaceLostPhotos(surplus: readonly string[], { sure }: { sure: boolean }) {
  if (surplus.length > 0) throw new UsageError(`unexpected argument '${surplus[0]}'`)
  const config = readConfig()
  await besideServer(config, async (storage) => {
    const files = openFiles(config, tellOperator)
    let [looked, lost] = [0, 0]
    const grey = await new Bun.Image(greyPixel).webp().bytes()
    for await (const name of lostFiles({ store: storage.media, files }, (count) => (looked += count))) {
      if (sure) await files.put(name, grey)
      lost += 1
    }
    if (lost === 0) return console.log(`none of ${looked} photos is lost`)
    const place = config.media === null ? join(config.dataDir, 'media') : shownPlace(config.media)
    const said = `${lost} of ${looked} photos are missing in ${place}`
    if (!sure)
      throw new UsageError(`${said}: put the files back, or add --yes to put a grey picture in the place of each`)
    console.log(`${said}: each is a grey picture now`)
  })
}

const greyPixel = Buffer.from('R0lGODlhAQABAIAAAICAgAAAACwAAAAAAQABAAACAkQBADs=', 'base64')

/** Locks the data. Null if a server runs. */
function holdIfFree(config: Config): (() => void) | null {
  try {
    return holdData(config)
  } catch (error) {
    if (error instanceof DataInUse) return null
    throw error
  }
}
