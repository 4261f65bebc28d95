import { expect } from 'bun:test'
import type { App } from '../src/app.ts'
import { Refusal } from '../src/lib/refusal.ts'
import { problemOf } from '../src/http/errors.ts'
import { refusalsOf, type Route } from '../src/http/openapi-document.ts'

type Answered = { method: string; path: string; status: number; code: string }

/** Holds every problem of an app against the OpenAPI document, so that whoever writes a client knows of it. */
export function documentedIn(app: App) {
  const routes = (app.routes as unknown as Route[]).map((route) => ({
    route,
    // A path without parameters is a better match than one with them.
    pattern: new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`),
    parameters: route.path.split(':').length,
  }))
  routes.sort((a, b) => a.parameters - b.parameters)
  return ({ method, path, status, code }: Answered) => {
    const found = routes.find(({ route, pattern }) => route.method === method && pattern.test(path))
    if (!found || found.route.hooks.detail?.hide) return
    const route = `${method} ${found.route.path}`
    const isDocumented = refusalsOf(found.route)
      .map((one) => problemOf(new Refusal(one, ''), ''))
      .some((one) => one.code === code && one.status === status)
    expect({ route, status, code, isDocumented }).toEqual({ route, status, code, isDocumented: true })
  }
}
