import type { EndReason } from '../../realtime/connection.ts'
import type { SocketControl } from '../../realtime/events.ts'
import type { Callers } from './callers.ts'

type Deps = { callers: Pick<Callers, 'forget'>; sockets: Pick<SocketControl, 'endSession'> }

/** Makes ended sessions refuse requests and closes their sockets. */
export const openCutOff =
  ({ callers, sockets }: Deps) =>
  async (userId: string, sessionIds: readonly string[], reason: EndReason): Promise<void> => {
    const forgotten = callers.forget(userId)
    for (const sessionId of sessionIds) sockets.endSession(userId, sessionId, reason)
    await forgotten
  }
