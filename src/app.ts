import { type AnyElysia, Elysia } from 'elysia'
import { settingsInForce } from './config.ts'
import { accountRoutes } from './features/account/routes.ts'
import { authRoutes } from './features/auth/routes.ts'
import { botRoutes } from './features/bot/routes.ts'
import { chatRoutes } from './features/chats/routes.ts'
import { emailRoutes } from './features/email/routes.ts'
import { filterRoutes } from './features/filter/routes.ts'
import { imageBankRoutes } from './features/image-bank/routes.ts'
import { identityRoutes } from './features/identities/routes.ts'
import { legalRoutes } from './features/legal/routes.ts'
import { locationRoutes } from './features/location/routes.ts'
import { mediaRoutes } from './features/media/routes.ts'
import { moderationRoutes } from './features/moderation/routes.ts'
import { figureRoutes } from './features/figures/routes.ts'
import { settingRoutes } from './features/settings/routes.ts'
import { tagRoutes } from './features/tags/routes.ts'
import { announcementRoutes } from './features/announcements/routes.ts'
import { templateRoutes } from './features/templates/routes.ts'
import { peopleRoutes } from './features/people/routes.ts'
import { notificationRoutes } from './features/notifications/routes.ts'
import { passkeyRoutes } from './features/passkeys/routes.ts'
import { profileRoutes } from './features/profile/routes.ts'
import { inviteRoutes } from './features/registration/routes.ts'
import { reviewRoutes } from './features/reviews/routes.ts'
import { safetyRoutes } from './features/safety/routes.ts'
import { absoluteUrl } from './http/absolute-url.ts'
import { openClients } from './http/client.ts'
import { compileSchemasOnce } from './http/compile-schemas-once.ts'
import { cors } from './http/cors.ts'
import { draining } from './http/draining.ts'
import { errors, serverError } from './http/errors.ts'
import { maybeSignedIn as openMaybeSignedIn } from './http/maybe-signed-in.ts'
import { origins as originPolicy } from './http/origins.ts'
import { healthRoutes } from './http/health.ts'
import { metricsRoute } from './http/metrics.ts'
import { openapi } from './http/openapi.ts'
import { maintenance as refuseDuringMaintenance } from './http/maintenance.ts'
import { openAdmission, overload } from './http/overload.ts'
import { requestId } from './http/request-id.ts'
import { requestLog } from './http/request-log.ts'
import { sessionCookies } from './http/session-cookie.ts'
import { securityHeaders } from './http/security-headers.ts'
import { guard as openGuard, signedIn as openSignedIn, signedInAs } from './http/signed-in.ts'
import type { WebFiles } from './http/web-files.ts'
import { notFoundPage, webPages } from './http/web-pages.ts'
import { asyncapiRoute } from './realtime/asyncapi.ts'
import { formVisitor as openFormVisitor, visitor as openVisitor } from './http/visitor.ts'
import { socketRoute } from './realtime/upgrade.ts'
import { syncRoutes } from './realtime/sync.ts'
import type { Services } from './services.ts'

// Loosely typed: the chain of all routes exceeds TypeScript's depth, and clients take their types from the OpenAPI document.
export type App = AnyElysia

/** The table of contents: what every request passes, then each feature's routes. */
export function buildApp(services: Services, web: WebFiles | null = null): App {
  compileSchemasOnce()
  const { config, now, log, limits, callers, auth, emails, legal, media, profiles, chats, locations, replay, hub } =
    services
  const origins = originPolicy(config)
  const {
    account,
    identities,
    oidc,
    passkeys,
    safety,
    reviews,
    notices,
    notifications,
    moderation,
    templates,
    announcements,
    figures,
    tags,
    people,
    registration,
    filter,
    imageBank,
    storage,
    files,
    photos,
    metrics,
    traces,
    shared,
    paging,
    room,
    halfSet,
    maintenance,
  } = services
  const peerOf = services.peerOf ?? ((request: Request) => app.server?.requestIP(request)?.address)
  const clientOf = openClients(config, peerOf)
  const visitor = openVisitor({ config, limits, clientOf })
  const formVisitor = openFormVisitor({ config, limits, clientOf })
  const maybeSignedIn = openMaybeSignedIn({ visitor, callers })
  const cookies = sessionCookies(config)
  const admission = openAdmission()
  const guardDeps = { config, callers, origins, limits, clientOf }
  const guard = openGuard(guardDeps)
  const signedIn = openSignedIn(guardDeps)
  const asModerator = signedInAs(guardDeps, 'as-moderator', moderation.moderatorOf)
  const asAdmin = signedInAs(guardDeps, 'as-admin', moderation.adminOf)

  // Grouped in one plugin, because TypeScript limits the length of a chain.
  const consoleRoutes = new Elysia({ name: 'console' })
    .use(figureRoutes({ asModerator, figures }))
    .use(templateRoutes({ asModerator, asAdmin, templates }))
    .use(announcementRoutes({ asAdmin, announcements }))
    .use(settingRoutes({ asAdmin, settings: () => settingsInForce(config) }))
    .use(tagRoutes({ signedIn, tags }))
    .use(filterRoutes({ asAdmin, filter }))
    .use(imageBankRoutes({ asAdmin, imageBank }))

  const app: App = new Elysia({
    name: 'convene',
    normalize: true,
    // Responses are cleaned and validated, but no schema transforms them: without this, Elysia would look for transforms in each.
    encodeSchema: false,
    // Otherwise Elysia searches for the path from the 11th character on: a host shorter than four, as in `Host: x`, shifts it.
    handler: { standardHostname: false },
    serve: { development: false, error: serverError(log) },
  })
  // Plugins that refuse requests come after `cors`, so that an allowed page can read the refusal.
  return app
    .use(absoluteUrl)
    .use(requestId)
    .use(draining({ hub }))
    .use(securityHeaders)
    .use(cors({ config, origins }))
    .use(overload({ metrics, admission, pending: () => app.server?.pendingRequests ?? 0 }))
    .use(refuseDuringMaintenance({ now: maintenance.now, metrics }))
    .use(requestLog({ log, metrics, traces }))
    .use(
      errors({
        log,
        storage,
        room,
        metrics,
        allowedMethods: (path) => methodsOf(app.routes, path),
        notFoundPage: notFoundPage(config, web),
      }),
    )
    .use(authRoutes({ visitor, signedIn, auth, oidc, cookies, origins, config, botName: services.bot.name }))
    .use(emailRoutes({ visitor, signedIn, emails }))
    .use(identityRoutes({ visitor, formVisitor, signedIn, identities, oidc, cookies, maintenance }))
    .use(botRoutes({ formVisitor, door: services.bot.door }))
    .use(passkeyRoutes({ visitor, signedIn, passkeys, cookies }))
    .use(legalRoutes({ visitor, legal }))
    .use(profileRoutes({ signedIn, profiles }))
    .use(mediaRoutes({ visitor, guard, media }))
    .use(locationRoutes({ signedIn, locations }))
    .use(chatRoutes({ signedIn, chats }))
    .use(safetyRoutes({ signedIn, safety }))
    .use(reviewRoutes({ maybeSignedIn, signedIn, reviews }))
    .use(moderationRoutes({ visitor, signedIn, asModerator, moderation, notices }))
    .use(consoleRoutes)
    .use(peopleRoutes({ asModerator, asAdmin, people }))
    .use(inviteRoutes({ asAdmin, registration }))
    .use(notificationRoutes({ visitor, formVisitor, signedIn, notifications }))
    .use(accountRoutes({ signedIn, account, cookies }))
    .use(syncRoutes({ signedIn, replay, paging }))
    .use(socketRoute({ config, callers, origins, limits, hub, admission, now }))
    .use(asyncapiRoute())
    .use(healthRoutes({ storage, files, photos, hub, shared, room, halfSet }))
    .use(metricsRoute({ config, metrics, peerOf }))
    .use(webPages(config, web, () => maintenance.now()?.text ?? null))
    .use(openapi(() => app))
}

/** The methods that a path supports; empty for an unknown path. */
function methodsOf(routes: readonly { method: string; path: string }[], path: string): string[] {
  const parts = path.replace(/(?<=.)\/$/, '').split('/')
  const fits = (pattern: string[]) =>
    pattern.length === parts.length && pattern.every((part, i) => part.startsWith(':') || part === parts[i])
  const methods = routes.filter((route) => fits(route.path.split('/'))).map((route) => route.method)
  // A WebSocket handshake is a GET, and every GET route answers HEAD too.
  const named = methods.flatMap((method) => (method === 'GET' || method === 'WS' ? ['GET', 'HEAD'] : method))
  return [...new Set(named)].filter((method) => method !== 'OPTIONS')
}
