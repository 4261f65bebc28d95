/** Schedules notifications in the transaction that stores their cause. */
export type NotificationSchedule = {
  /** When a notification about something that happens now is due; null if this server sends none. */
  dueAt(now: number): number | null
  /** The id of a parcel that takes notifications back; null if this server sends none. */
  takeBackId(): string | null
  /** The same for transactions that may need several such parcels. */
  takeBackIds: (() => string) | null
  /** Call this after the commit. */
  wake(): void
}

type Deps = { isOn: boolean; afterMs: number; id(): string; wake(): void }

export function openSchedule({ isOn, afterMs, id, wake }: Deps): NotificationSchedule {
  return {
    dueAt: (now) => (isOn ? now + afterMs : null),
    takeBackId: () => (isOn ? id() : null),
    takeBackIds: isOn ? id : null,
    // The outbox finds later notifications by itself when they are due.
    wake: () => {
      if (isOn && afterMs === 0) wake()
    },
  }
}
