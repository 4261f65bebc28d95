import { type Config, ConfigError, readConfig, reloadConfig, unknownVariables } from './config.ts'
import type { Logger } from 'pino'
import { type LegalFiles, legalFiles } from './features/legal/service.ts'
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
  if (applied.texts) logTexts(applied.texts, log)
  if (applied.needRestart.length > 0)
    log.warn({ settings: applied.needRestart }, 'settings have changed that need a restart')
  warnOfSettings({ config, log })
  return true
}

/** `reload` without a word, unless it fails: null then. */
export function applySettings({ config, limits, legal, callers, log }: Reloaded) {
  try {
    const fresh = readConfig()
    const texts = ownLegalTexts(fresh)
    legal.reload({ dir: fresh.legalDir, contact: fresh.legalContact })
    const applied = reloadConfig(config, fresh)
    limits.change(config.rateLimit)
    // Cached callers hold which texts they have accepted.
    callers.forgetAll()
    log.level = config.logLevel
    return { ...applied, texts }
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'settings are not reloaded: the old ones stay in force')
    return null
  }
}

/** The texts in LEGAL_DIR; null if it is not set. Throws ConfigError if it is unreadable or empty. */
export function ownLegalTexts({ legalDir }: Config): LegalFiles | null {
  if (legalDir === null) return null
  let files: LegalFiles
  try {
    files = legalFiles(legalDir)
  } catch (error) {
    throw new ConfigError('LEGAL_DIR must be a directory that can be read', { cause: error })
  }
  if (files.empty.length > 0)
    throw new ConfigError(`LEGAL_DIR has texts without content to read: ${files.empty.join(', ')}`)
  return files
}

export function logTexts({ texts, misnamed }: LegalFiles, log: Logger) {
  if (texts.length > 0) log.info({ texts }, 'legal texts of LEGAL_DIR')
  else log.warn('LEGAL_DIR has no text that is named like terms.en.md: the built-in texts are used')
  if (misnamed.length > 0)
    log.warn({ misnamed }, 'files in LEGAL_DIR are not used, because they are not named like terms.en.md')
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
