import { Refusal } from '../../lib/refusal.ts'
import type { Caller } from '../auth/callers.ts'
import type { Role } from '../profile/store.ts'
import { hasSecondFactor } from './rules.ts'

export type SecondFactor = ReturnType<typeof secondFactor>

/** STAFF_PASSKEY: what moderators and admins do needs a passkey besides the login. */
export function secondFactor({ staffPasskey, now }: { staffPasskey: 'off' | 'required'; now: () => number }) {
  return {
    /** Refuses with 403 `second_factor_required` a session in which somebody with that role has not shown a passkey lately. */
    require(caller: Pick<Caller, 'passkey_at'>, role: Role): void {
      if (staffPasskey === 'off' || role === 'user' || hasSecondFactor(caller, now())) return
      throw new Refusal('second_factor_required', 'Confirm this session with a passkey first.')
    },
  }
}
