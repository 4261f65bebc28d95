import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from '../../config.ts'
import { suspension, unsuspension } from '../../features/moderation/model.ts'
import { operator } from '../../features/moderation/moderators.ts'
import { standings } from '../../features/people/rules.ts'
import { newInvite } from '../../features/registration/model.ts'
import { mostUses } from '../../features/registration/rules.ts'
import { Refusal } from '../../lib/refusal.ts'
import { days, hours, iso } from '../../lib/time.ts'
import type { Services } from '../../services.ts'
import type { Storage } from '../../storage/storage.ts'
import { openLog } from '../../telemetry/log.ts'
import { UsageError } from '../command.ts'
import { besideServer } from '../database.ts'
import { withAccount } from './account.ts'
import { secretsBeside } from './secrets.ts'
import { hasKey, keysOf } from '../../lib/record.ts'

const options = {
  list: ['q', 'role', 'standing', 'limit', 'cursor'],
  show: [],
  invite: ['uses', 'expires', 'note', 'limit', 'cursor'],
  suspend: ['reason', 'until', 'note'],
  unsuspend: ['reason'],
  'end-sessions': [],
} as const
type Action = keyof typeof options
export const peopleActions = keysOf(options)
export const isPeopleAction = (named: string): named is Action => hasKey(options, named)

const roles = ['user', 'moderator', 'admin'] as const

type Given = Record<string, string | undefined>

/** The commands that show and change accounts with the same rules and audit entries as the console. */
export async function runOnPeople(action: Action, args: string[]): Promise<void> {
  const known: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' } }
  for (const name of options[action]) known[name] = { type: 'string' }
  const { values, positionals } = parseArgs({ args: withCursor(args), options: known, allowPositionals: true })
  const json = values.json === true
  const given: Given = {}
  for (const [name, value] of Object.entries(values)) if (typeof value === 'string') given[name] = value
  const print = (answer: object, asText: string) => console.log(json ? JSON.stringify(answer) : asText)
  const isAboutOne = action !== 'list' && action !== 'invite'
  const [, who, ...more] = positionals
  const surplus = isAboutOne ? more[0] : action === 'list' ? who : undefined
  if (surplus !== undefined) throw new UsageError(`unexpected argument '${surplus}'`)
  if (isAboutOne) {
    if (who === undefined) throw new UsageError(`whose account? admin ${action} WHO`)
    return onAccount(action, who, given, print)
  }
  const work = action === 'list' ? listed(given) : onInvites(positionals.slice(1), given)
  const config = readConfig()
  const { answer, asText } = await besideServer(config, async (storage) =>
    explained(work(await servicesBeside(config, storage))),
  )
  print(answer, asText)
}

/** Joins `--cursor` with its value, as a cursor may begin with a hyphen. */
function withCursor(args: readonly string[]): string[] {
  const at = args.indexOf('--cursor')
  return at === -1 || at + 1 === args.length ? [...args] : args.toSpliced(at, 2, `--cursor=${args[at + 1]}`)
}

type Print = (answer: object, asText: string) => void

async function onAccount(
  action: Exclude<Action, 'list' | 'invite'>,
  who: string,
  { reason, until, note }: Given,
  print: Print,
) {
  if (action === 'suspend' && !reason?.trim()) throw new UsageError('--reason is missing: the user sees it')
  const details = { reason: reason ?? '', note, until: until === undefined ? null : timeOf('--until', until) }
  if (action === 'suspend') refuseUnfit(suspension, details)
  if (action === 'unsuspend') refuseUnfit(unsuspension, { reason })
  const { answer, asText } = await withAccount(who, async ({ storage, config, user }) => {
    const { people, moderation } = await servicesBeside(config, storage)
    switch (action) {
      case 'show': {
        const record = await explained(people.record(operator, user.id))
        return { answer: record, asText: asLines(record) }
      }
      case 'end-sessions': {
        const ended = await explained(people.endSessions(operator, user.id))
        const count = `${ended} ${ended === 1 ? 'session has' : 'sessions have'} ended`
        return { answer: { user_id: user.id, ended }, asText: `${who}: ${count}` }
      }
      case 'suspend': {
        const state = await explained(moderation.suspend(operator, user.id, details))
        return {
          answer: state,
          asText: `${who} is suspended ${state.until === null ? 'without end' : `until ${state.until}`}`,
        }
      }
      case 'unsuspend': {
        const state = await explained(moderation.unsuspend(operator, user.id, { reason }))
        return { answer: state, asText: `${who} is not suspended` }
      }
    }
  })
  print(answer, asText)
}

type Answered = { answer: object; asText: string }

function listed({ q, role, standing, limit = '30', cursor }: Given) {
  const query = {
    q,
    cursor,
    role: oneOf('--role', role, roles),
    standing: oneOf('--standing', standing, standings),
    limit: wholeNumber('--limit', limit, 100),
  }
  return async ({ people }: Services): Promise<Answered> => {
    const answer = await people.search(operator, query)
    const lines = answer.items.map(({ id, name, email, phone, role, standing, created_at }) =>
      [id, created_at.slice(0, 10), role, standing, email ?? phone ?? '-', name].join('  '),
    )
    if (answer.next_cursor !== null) lines.push(`more: --cursor ${answer.next_cursor}`)
    return { answer, asText: lines.length === 0 ? 'nobody' : lines.join('\n') }
  }
}

/** `admin invite`, with the words after it: creates, lists or deletes invites. */
function onInvites([what, id, ...more]: string[], given: Given): (services: Services) => Promise<Answered> {
  const options = what === undefined ? ['uses', 'expires', 'note'] : what === 'list' ? ['limit', 'cursor'] : []
  const surplus = what === 'delete' ? more[0] : id
  if (surplus !== undefined) throw new UsageError(`unexpected argument '${surplus}'`)
  const unfit = Object.keys(given).find((name) => !options.includes(name))
  if (unfit !== undefined) throw new UsageError(`--${unfit} does not go with admin invite ${what ?? ''}`.trimEnd())
  if (what === undefined) return invited(given)
  if (what === 'list') return listedInvites(given)
  if (what !== 'delete') throw new UsageError(`admin invite takes list or delete, not '${what}'`)
  if (id === undefined) throw new UsageError('which one? admin invite delete ID')
  return async ({ registration }) => {
    await registration.removeInvite(operator, id)
    return { answer: { id }, asText: `the invite ${id} is deleted` }
  }
}

function listedInvites({ limit = '30', cursor }: Given) {
  const page = { limit: wholeNumber('--limit', limit, 100), cursor }
  return async ({ registration }: Services): Promise<Answered> => {
    const answer = await registration.invites(page)
    const lines = answer.items.map(({ id, uses, used, expires_at, note }) =>
      [id, `${used} of ${uses} used`, expires_at === null ? 'no end' : `until ${expires_at}`, note ?? '-'].join('  '),
    )
    if (answer.next_cursor !== null) lines.push(`more: --cursor ${answer.next_cursor}`)
    return { answer, asText: lines.length === 0 ? 'no invites' : lines.join('\n') }
  }
}

function invited({ uses = '1', expires, note }: Given) {
  const invite = {
    uses: wholeNumber('--uses', uses, mostUses),
    expires_at: expires === undefined ? null : timeOf('--expires', expires),
    note,
  }
  refuseUnfit(newInvite, invite)
  return async ({ registration }: Services): Promise<Answered> => {
    const answer = await registration.invite(operator, invite)
    // On standard error, because scripts read the code from standard output.
    if (registration.mode !== 'invite') console.error(`REGISTRATION is ${registration.mode}: nobody needs an invite`)
    return { answer, asText: answer.code }
  }
}

/** The services of a server with these settings, in this process. */
async function servicesBeside(config: Config, storage: Storage): Promise<Services> {
  const { buildServices } = await import('../../services.ts')
  return buildServices({ config, secrets: await secretsBeside(config, storage), storage, log: openLog(config) })
}

/** Turns a refusal into an error for the operator, without its code. */
const explained = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof Refusal ? new Error(error.errors?.[0]?.message ?? error.detail, { cause: error }) : error
  })

function asLines(record: object): string {
  const lines = Object.entries(record).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return `${name}: ${shown(value)}`
    return [`${name}: ${value.length}`, ...value.map((one) => `  ${shown(one)}`)]
  })
  return lines.join('\n')
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .flatMap(([name, part]) => (part === null ? [] : `${name} ${shown(part)}`))
    .join(', ')
}

function oneOf<T extends string>(name: string, value: string | undefined, known: readonly T[]): T | undefined {
  const found = known.find((one) => one === value)
  if (value !== undefined && found === undefined) throw new UsageError(`${name} must be ${known.join(' or ')}`)
  return found
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = Number(text)
  if (!/^\d{1,6}$/.test(text) || number < 1 || number > most)
    throw new UsageError(`${name} must be a whole number from 1 to ${most}`)
  return number
}

/** Throws UsageError for what a route would refuse with 422. */
function refuseUnfit(schema: TSchema, given: object) {
  const wrong = Value.Errors(schema, given).First()
  if (!wrong) return
  const said: unknown = wrong.schema.error
  throw new UsageError(`--${wrong.path.slice(1)}: ${typeof said === 'string' ? said : wrong.message}`)
}

/** An absolute time, or one relative to now, in ISO form. */
function timeOf(name: string, text: string): string {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  const end = count === undefined ? absoluteTime(text) : Date.now() + Number(count) * (unit === 'h' ? hours : days)
  if (Number.isNaN(end))
    throw new UsageError(`${name} must be a time such as 2026-12-01, 2026-12-01T18:00:00Z, 12h or 30d`)
  if (end <= Date.now()) throw new UsageError(`${name} must be in the future`)
  return iso(end)
}

function absoluteTime(text: string): number {
  const [, day] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  if (day === undefined) return Number.NaN
  // JavaScript takes 30 February for the first or second of March.
  const date = new Date(day)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? Date.parse(text) : Number.NaN
}
