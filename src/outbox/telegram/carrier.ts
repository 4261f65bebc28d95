import { type Carrier, patienceOf, TryLater } from '../carrier.ts'
import { outboxError } from './sender.ts'

/** Tells the moderators of open reports. One at a time: the newest says what the others would. */
export function botCarrier({ remindModerators }: { remindModerators(): Promise<number | null> }): Carrier<'bot'> {
  return {
    atOnce: 1,
    patienceMs: patienceOf.bot,
    async deliver() {
      let wait: number | null
      try {
        wait = await remindModerators()
      } catch (error) {
        throw outboxError(error)
      }
      if (wait !== null) throw new TryLater('a reminder was sent a moment ago', wait)
    },
  }
}
