import { openMembership } from './membership.ts'
import { reading, type ReadingDeps } from './reading.ts'
import { sending, type SendingDeps } from './sending.ts'
import { starting, type StartingDeps } from './starting.ts'

export type Chats = ReturnType<typeof chatService>

type Deps = Omit<StartingDeps & SendingDeps & ReadingDeps, 'membership'>

export function chatService(deps: Deps) {
  const shared = { ...deps, membership: openMembership(deps) }
  return { ...starting(shared), ...sending(shared), ...reading(shared) }
}
