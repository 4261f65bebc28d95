import { iso } from '../lib/time.ts'
import type { EphemeralData, EphemeralType } from './events.ts'

/** A client's name for its frame, which the answer repeats. */
export type Cid = string | number

/** A frame that is sent once and never stored. */
export const ephemeralFrame = <T extends EphemeralType>(at: number, type: T, data: EphemeralData[T], cid?: Cid) =>
  JSON.stringify({ type, ...(cid === undefined ? {} : { cid }), at: iso(at), data })
