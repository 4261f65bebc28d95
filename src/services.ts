import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { auditService } from './features/audit/service.ts'
import { callers as openCallers } from './features/auth/callers.ts'
import { consentsService } from './features/auth/consents.ts'
import { openPasswords } from './features/auth/passwords.ts'
import { authService } from './features/auth/service.ts'
import { openTokens } from './features/auth/tokens.ts'
import { legalService } from './features/legal/service.ts'
import { profileService } from './features/profile/service.ts'
import { blocking as openBlocking } from './features/safety/blocking.ts'
import { ids as realIds, type Ids } from './ids.ts'
import { openLimits } from './limits.ts'
import type { Secrets } from './secrets.ts'
import type { Storage } from './storage/storage.ts'

export type Ports = { config: Config; secrets: Secrets; storage: Storage; log: Logger; ids?: Ids; now?: () => number }

export type Services = ReturnType<typeof buildServices>

/** Every service, built from its ports, in the order in which they need each other. */
export function buildServices({ config, secrets, storage, log, ids = realIds, now = Date.now }: Ports) {
  const limits = openLimits({ enabled: config.rateLimit })
  const legal = legalService({ dir: config.legalDir })
  const audit = auditService({ store: storage.audit, ids, now })
  const consents = consentsService({ store: storage.accounts, legal, audit, ids, now })
  const tokens = openTokens({ secret: secrets.jwt, now })
  const callers = openCallers({ tokens, sessions: storage.sessions, consents, now })
  const blocking = openBlocking({ store: storage.blocks })
  const profiles = profileService({
    store: storage.users,
    consents,
    photos: { urlOf: (photo) => photo, isOwn: async () => false },
    blocking,
    audit,
    now,
  })
  const sockets = { endSession() {}, suspend() {} }
  const auth = authService({
    accounts: storage.accounts,
    sessions: storage.sessions,
    profiles,
    consents,
    callers,
    tokens,
    passwords: openPasswords(),
    limits,
    sockets,
    audit,
    ids,
    now,
    messengerBotToken: config.messengerBotToken,
    initDataMaxAgeS: config.initDataMaxAgeS,
  })
  return { config, storage, log, limits, legal, audit, consents, callers, profiles, auth }
}
