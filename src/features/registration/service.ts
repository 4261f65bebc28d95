import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { holderOf } from '../../lib/rate-limits.ts'
import { tidy } from '../../lib/text.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { Client } from '../auth/consents.ts'
import {
  type Admission,
  ageOf,
  type AgeProof,
  ageRefusedFor,
  codeBytes,
  codeOf,
  dateOf,
  isOfLiving,
  normalizedCode,
  refusesAccount,
  type RegistrationMode,
  type RegistrationRefusal,
} from './rules.ts'
import type { AgeStore, Invite, InviteStore } from './store.ts'

export type Registration = ReturnType<typeof registrationService>

type NewInvite = { uses: number; expires_at?: string | null; note?: string | null }

/** An admin, or the operator at the command line, who has no id. */
type Admin = { id: string | null }

/** As `YYYY-MM-DD`. */
type BirthDate = string | null | undefined

type Deps = {
  store: InviteStore
  ages: AgeStore
  /** The minimum age; null if there is none. */
  minAge: number | null
  /** The key of the hashes of addresses from which somebody too young has tried to register. */
  originKey: Uint8Array | Buffer
  mode: RegistrationMode
  audit: Audit
  paging: Paging
  ids: Ids
  now: () => number
  /** Returns that many random bytes. */
  randomBytes?: (count: number) => Uint8Array
}

/** Decides who may create an account, and manages invites. */
export function registrationService({
  store,
  ages,
  minAge,
  originKey,
  mode,
  audit,
  paging,
  ids,
  now,
  randomBytes = unpredictable,
}: Deps) {
  const { keyOf, pageOf } = paging

  /** The data that decide whether a new account is admitted. The transaction that creates it decides. */
  async function admissionBy(
    code: string | null | undefined,
    birthDate: BirthDate,
    client: Client,
  ): Promise<Admission> {
    return { mode, code_hash: code == null ? null : hashOf(code), age: await ageBy(birthDate, client) }
  }

  /** Checks the minimum age. If it fails, the network address is refused for a day, whatever date it sends next. */
  async function ageBy(birthDate: BirthDate, { address }: Client): Promise<AgeProof> {
    if (minAge === null) return null
    if (birthDate == null) return 'missing'
    const birth = dateOf(birthDate)
    if (birth === null) throw invalid('/birth_date', 'Expected a date of birth, such as 1990-05-17', 'format')
    if (!isOfLiving(birth, now()))
      throw invalid('/birth_date', 'Expected a date of birth within the last 130 years', 'out_of_range')
    const origin = new Bun.CryptoHasher('sha256', originKey).update(holderOf(address)).digest('base64url').slice(0, 22)
    // Not noted again, so that another attempt does not extend the wait.
    if (await ages.isRefused(origin, now() - ageRefusedFor)) return 'too_young'
    if (ageOf(birth, now()) >= minAge) return { birth_month: birthDate.slice(0, 7) }
    await ages.note(origin, now())
    return 'too_young'
  }

  return {
    mode,
    minAge,
    admissionBy,

    /** The same, but refuses at once what cannot succeed, because creating an account is expensive before its transaction. */
    async admit(code: string | null | undefined, birthDate: BirthDate, client: Client): Promise<Admission> {
      const admission = await admissionBy(code, birthDate, client)
      const { code_hash } = admission
      const invite = mode === 'invite' && code_hash !== null ? await store.byCode(code_hash) : null
      const refused = refusesAccount(admission, invite, now())
      if (refused) throw notAdmitted(refused)
      return admission
    },

    /** Creates an invite. Only this answer contains its code. */
    async invite(admin: Admin, { uses, expires_at, note }: NewInvite) {
      const at = now()
      const end = expires_at == null ? null : Date.parse(expires_at)
      if (end !== null && !(end > at)) throw invalid('/expires_at', 'Expected a time in the future', 'out_of_range')
      const code = codeOf(randomBytes(codeBytes))
      const invite: Invite = {
        id: ids.next(),
        uses,
        used: 0,
        expires_at: end,
        note: tidy(note ?? '') || null,
        created_at: at,
      }
      const entry = audit.entry('invite_created', admin.id, invite.id, { uses, expires_at: isoOrNull(end) })
      await store.add(invite, hashOf(code), entry)
      return { ...inviteView(invite), code }
    },

    /** Newest first, without their codes. */
    async invites({ limit = 30, cursor }: Page) {
      const key = keyOf('invites', cursor, ['number', 'string'])
      const rows = await store.list(limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('invites', rows, limit, ({ created_at, id }) => [created_at, id], inviteView)
    },

    async removeInvite(admin: Admin, id: string): Promise<void> {
      if (!(await store.remove(id, audit.entry('invite_deleted', admin.id, id))))
        throw new Refusal('not_found', 'There is no such invite.')
    },
  }
}

const reasons: Record<Exclude<RegistrationRefusal, 'birth_date_missing'>, string> = {
  too_young: 'You are too young for this community.',
  registration_closed: 'This server accepts no new members.',
  invite_required: 'Registering here needs an invite that is valid now.',
}

/** The refusal of a new account. */
export const notAdmitted = (why: RegistrationRefusal) =>
  why === 'birth_date_missing'
    ? invalid('/birth_date', 'Expected your date of birth, such as 1990-05-17', 'required')
    : new Refusal(why, reasons[why])

const hashOf = (code: string) => new Bun.CryptoHasher('sha256').update(normalizedCode(code)).digest('hex')

const unpredictable = (count: number) => crypto.getRandomValues(new Uint8Array(count))

const inviteView = ({ expires_at, created_at, ...invite }: Invite) => ({
  ...invite,
  expires_at: isoOrNull(expires_at),
  created_at: iso(created_at),
})
