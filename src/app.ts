import { Elysia } from 'elysia'
import { authRoutes } from './features/auth/routes.ts'
import { legalRoutes } from './features/legal/routes.ts'
import { profileRoutes } from './features/profile/routes.ts'
import { errors } from './http/errors.ts'
import { origins as originPolicy } from './http/origins.ts'
import { requestId } from './http/request-id.ts'
import { requestLog } from './http/request-log.ts'
import { signedIn as guard } from './http/signed-in.ts'
import { visitor as publicDoor } from './http/visitor.ts'
import type { Services } from './services.ts'

export type App = ReturnType<typeof buildApp>

/** The table of contents: what every request passes, then each feature's routes. */
export function buildApp(services: Services) {
  const { config, log, limits, callers, auth, legal, profiles } = services
  const origins = originPolicy(config)
  const visitor = publicDoor({ config, limits })
  const signedIn = guard({ config, callers, origins, limits })

  const app = new Elysia({ name: 'convene', normalize: true })
  return app
    .use(requestId)
    .use(requestLog(log))
    .use(errors(log, (path) => methodsOf(app.routes, path)))
    .use(authRoutes({ visitor, signedIn, auth }))
    .use(legalRoutes({ visitor, legal }))
    .use(profileRoutes({ signedIn, profiles }))
}

/** The methods that a path answers to; none where it is no path of ours. */
function methodsOf(routes: readonly { method: string; path: string }[], path: string): string[] {
  const parts = path.split('/')
  const fits = (pattern: string[]) =>
    pattern.length === parts.length && pattern.every((part, i) => part.startsWith(':') || part === parts[i])
  return [...new Set(routes.filter((route) => fits(route.path.split('/'))).map((route) => route.method))]
}
