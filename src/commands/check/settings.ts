import { type Config, settingsInForce, unknownVariables } from '../../config.ts'
import { halfSetOf } from '../../installation/half-set.ts'
import { openTo } from './data-directory.ts'
import { legalFiles } from '../../features/legal/service.ts'
import { fine, type Finding, wrong } from './finding.ts'

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

export function* settings(config: Config): Generator<Finding> {
  const { host, corsOrigins, rateLimit, metricsToken, messengerBotToken, initDataMaxAgeS, legalDir, database } = config
  const problems: Finding[] = []
  if (rateLimit === null)
    problems.push(wrong('RATE_LIMIT is off: passwords can be guessed without end', 'leave RATE_LIMIT out'))
  if (messengerBotToken !== null && initDataMaxAgeS === 0)
    problems.push(
      wrong(
        'INIT_DATA_MAX_AGE_S is 0: anyone who finds init data of any age can log in',
        'leave INIT_DATA_MAX_AGE_S out',
      ),
    )
  for (const { name, meant } of unknownVariables())
    problems.push(
      wrong(
        `the environment variable ${name} is not a setting, and has no effect`,
        meant === null ? 'leave it out' : `leave it out, or set ${meant} if that is meant`,
      ),
    )
  for (const { text, fix } of halfSetOf(config)) problems.push(wrong(text, fix))
  problems.push(...settingsFile(config))
  if (config.publicUrl?.startsWith('https:') && config.trustProxy === 0)
    problems.push(
      wrong(
        'PUBLIC_URL is https, which means a proxy in front, but TRUST_PROXY is 0: everybody shares the limits of one address',
        'set TRUST_PROXY to the number of proxies in front of the server, such as 1',
      ),
    )
  if (legalDir !== null) problems.push(...legalTexts(legalDir))
  if (database.engine === 'sqlite' && database.path === ':memory:')
    problems.push(
      wrong('DATABASE_URL keeps all data in memory only: it is lost when the process ends', 'leave DATABASE_URL out'),
    )
  if (!isLoopback(host)) {
    if (corsOrigins.length === 0)
      problems.push(
        wrong(
          `HOST is ${host}, which others can reach, and CORS_ORIGINS is empty: only its own web pages can use it`,
          'list the pages of your app, such as CORS_ORIGINS=https://app.example.org',
        ),
      )
    if (metricsToken === null)
      problems.push(
        wrong(
          `HOST is ${host}, which others can reach, and there is no METRICS_TOKEN: through a proxy on this machine that sends no X-Forwarded-For, anybody can read /metrics`,
          'set METRICS_TOKEN to 16 random characters or more, such as the output of: openssl rand -hex 16',
        ),
      )
  }
  yield* problems.length === 0 ? [fine('the settings are fit for production')] : problems
}

/** Whether others can read secrets in the settings file. */
function settingsFile(config: Config): Finding[] {
  const { configFile } = config
  if (configFile === null || !settingsInForce(config).some(({ source, secret }) => source === 'file' && secret))
    return []
  const mode = openTo(configFile)
  // The file of another owner, such as root, may be readable for a group on purpose.
  if (mode === null || !/[4-7]$/.test(mode)) return []
  return [wrong(`others can read the settings file (mode ${mode})`, `chmod 600 ${configFile}`)]
}

function legalTexts(directory: string): Finding[] {
  try {
    const { empty, misnamed } = legalFiles(directory)
    return [
      ...empty.map((file) => wrong(`${file} in LEGAL_DIR has no content`, 'write it, or remove it')),
      ...misnamed.map((file) => wrong(`${file} in LEGAL_DIR is not used`, 'name it like terms.en.md, or remove it')),
    ]
  } catch {
    return [wrong(`LEGAL_DIR is no directory that can be read: ${directory}`, 'create it, or leave LEGAL_DIR out')]
  }
}
