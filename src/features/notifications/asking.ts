/** How what happens asks for a notification, in the transaction that stores it. */
export type Asking = {
  /** When a notification of something of now is due; null if this server sends none, and nothing is to be stored. */
  dueAt(now: number): number | null
  /** The id of the parcel that takes notifications back; null if there are none. */
  takeBackId(): string | null
  /** Makes the ids of such parcels, where it may take several; null if there are none. */
  takeBackIds: (() => string) | null
  /** Something was committed. */
  wake(): void
}

type Deps = { isOn: boolean; afterMs: number; id(): string; wake(): void }

export function openAsking({ isOn, afterMs, id, wake }: Deps): Asking {
  return {
    dueAt: (now) => (isOn ? now + afterMs : null),
    takeBackId: () => (isOn ? id() : null),
    takeBackIds: isOn ? id : null,
    // What is due later is found when it is.
    wake: () => {
      if (isOn && afterMs === 0) wake()
    },
  }
}
