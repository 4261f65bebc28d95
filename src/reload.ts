import { ConfigError, readConfig, reloadConfig, unknownVariables } from './config.ts'
import { legalFiles } from './features/legal/service.ts'
import { halfSetOf } from './installation/half-set.ts'
import { messageOf } from './lib/errors.ts'
import type { Services } from './services.ts'

type Reloaded = Pick<Services, 'config' | 'limits' | 'legal' | 'callers' | 'log'>

/**
 * Reads the settings and the texts again, and applies what a running server can change. If any of them is invalid, all of the
 * old ones stay in force. Logs the outcome, and answers whether they are in force.
 */
export function reload(services: Reloaded): boolean {
  const applied = applySettings(services)
  if (applied === null) return false
  const { config, log } = services
  log.info({ changed: applied.changed }, 'settings and texts are reloaded')
  if (applied.needRestart.length > 0)
    log.warn({ settings: applied.needRestart }, 'settings have changed that need a restart')
  warnOfSettings({ config, log })
  return true
}

/** `reload` without a word, unless it fails: null then. */
export function applySettings({ config, limits, legal, callers, log }: Reloaded) {
  try {
    const fresh = readConfig()
    const empty = fresh.legalDir === null ? [] : legalFiles(fresh.legalDir).empty
    if (empty.length > 0) throw new ConfigError(`LEGAL_DIR has texts without content to read: ${empty.join(', ')}`)
    legal.reload({ dir: fresh.legalDir, contact: fresh.legalContact })
    const applied = reloadConfig(config, fresh)
    limits.change(config.rateLimit)
    // Cached callers hold which texts they have accepted.
    callers.forgetAll()
    log.level = config.logLevel
    return applied
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'settings are not reloaded: the old ones stay in force')
    return null
  }
}

/** Warns of settings that are half set, and of variables that look like settings but are unknown. */
export function warnOfSettings({ config, log }: Pick<Reloaded, 'config' | 'log'>) {
  for (const { name, meant } of unknownVariables())
    log.warn(
      { variable: name, meant: meant ?? undefined },
      'an environment variable is not a known setting and is ignored',
    )
  for (const { text, fix } of halfSetOf(config)) log.warn({ fix }, text)
}
