import { openPasswords } from '../features/auth/passwords.ts'
import { authService } from '../features/auth/service.ts'
import { emailLinks as openEmailLinks, emailService } from '../features/email/service.ts'
import { oidcLogin } from '../features/identities/oidc.ts'
import { openProviders as openOidcProviders } from '../features/identities/providers.ts'
import { identityService } from '../features/identities/service.ts'
import { openChallenges } from '../features/passkeys/challenges.ts'
import { relyingParty } from '../features/passkeys/relying-party.ts'
import { secondFactor as openSecondFactor } from '../features/passkeys/second-factor.ts'
import { passkeyService } from '../features/passkeys/service.ts'
import { peopleService } from '../features/people/service.ts'
import { registrationService } from '../features/registration/service.ts'
import { openSeal } from '../lib/seal.ts'
import type { Content } from './content.ts'
import type { Core } from './core.ts'
import type { Outgoing } from './outgoing.ts'
import type { ProfileServices } from './profiles.ts'
import type { Realtime } from './realtime.ts'

export type Accounts = ReturnType<typeof buildAccounts>

/** Registration, login, and what the operator may do with accounts. */
export function buildAccounts({
  config,
  secrets,
  storage,
  log,
  keyFor,
  limits,
  paging,
  audit,
  consents,
  tokens,
  callers,
  webhooks,
  wakes,
  bot,
  linkKey,
  mails,
  filter,
  messengerPhotos,
  profiles,
  hub,
  ids,
  now,
  random,
  passwordCost,
}: Core & Outgoing & Content & ProfileServices & Realtime) {
  const verifies = config.emailVerification !== 'off'
  const emailLinks = openEmailLinks({ key: linkKey, mails, verifies, ids, now })
  const registration = registrationService({
    store: storage.invites,
    ages: storage.ages,
    minAge: config.minAge,
    originKey: keyFor('age refusals'),
    mode: config.registration,
    audit,
    paging,
    ids,
    now,
  })
  const auth = authService({
    accounts: storage.accounts,
    sessions: storage.sessions,
    profiles,
    filter,
    consents,
    callers,
    tokens,
    passwords: openPasswords(passwordCost),
    limits,
    paging,
    sockets: hub.control,
    messengerPhotos,
    mails,
    emailLinks,
    registration,
    webhooks,
    botPermissions: bot.permissions,
    audit,
    ids,
    now,
    messengerBotToken: config.messengerBotToken,
    initDataMaxAgeS: config.initDataMaxAgeS,
    consentGate: config.consentGate,
  })
  const emails = emailService({
    store: storage.emails,
    links: emailLinks,
    mails,
    webhooks,
    auth,
    callers,
    sockets: hub.control,
    limits,
    audit,
    failed: (error) => log.error({ err: error }, 'a link for a new password could not be sent'),
    now,
    random,
  })
  const secondFactor = openSecondFactor({ staffPasskey: config.staffPasskey, now })
  const passkeys = passkeyService({
    store: storage.passkeys,
    auth,
    callers,
    profiles,
    mails,
    audit,
    challenges: openChallenges({ jwt: secrets.jwt, now }),
    relyingParty: relyingParty(config),
    secondFactor,
    ids,
    now,
  })
  const oidcProviders = openOidcProviders({ providers: config.oidc, log, now })
  const sealKey = keyFor('seal')
  const grants = openSeal(sealKey, 'oidc grant')
  const identities = identityService({
    store: storage.identities,
    botPermissions: bot.permissions,
    auth,
    passkeys,
    callers,
    mails,
    providers: oidcProviders,
    configured: { messenger: config.messengerBotToken !== null, issuers: oidcProviders.issuers },
    wakeRevocation: () => wakes.wake('oidc_revoke'),
    audit,
    paging,
    now,
  })
  const oidc = oidcLogin({
    providers: oidcProviders,
    store: storage.identities,
    identities,
    callers,
    auth,
    registration,
    mails,
    errands: openSeal(sealKey, 'oidc errand'),
    grants,
    publicUrl: config.publicUrl,
    corsOrigins: config.corsOrigins,
    audit,
    ids,
    now,
  })
  const people = peopleService({
    identities,
    store: storage.people,
    users: storage.users,
    sessions: storage.sessions,
    emails,
    auditLog: storage.audit,
    webhooks,
    callers,
    sockets: hub.control,
    recheckSockets: (userIds) => hub.listener.mayHaveMissed(userIds),
    audit,
    paging,
    now,
  })
  return {
    emailLinks,
    registration,
    auth,
    emails,
    secondFactor,
    passkeys,
    oidcProviders,
    grants,
    identities,
    oidc,
    people,
  }
}
