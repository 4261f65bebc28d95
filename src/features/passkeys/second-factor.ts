import { Refusal } from '../../lib/refusal.ts'
import type { Caller } from '../auth/callers.ts'
import type { Role } from '../profile/store.ts'
import { hasSecondFactor } from './rules.ts'

export type SecondFactor = ReturnType<typeof secondFactor>

/** STAFF_PASSKEY: moderators and admins need a passkey as a second factor. */
export function secondFactor({ staffPasskey, now }: { staffPasskey: 'off' | 'required'; now: () => number }) {
  return {
    /** Refuses with 403 `second_factor_required` if that role needs a passkey and the session has not been confirmed recently. */
    require(caller: Pick<Caller, 'passkey_at'>, role: Role): void {
      if (staffPasskey === 'off' || role === 'user' || hasSecondFactor(caller, now())) return
      throw new Refusal('second_factor_required', 'Confirm this session with a passkey first.')
    },
  }
}
