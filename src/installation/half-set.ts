import { type Config, settingsInForce } from '../config.ts'

/** A setting that has no effect, or not the intended one, until another one is set too. */
type HalfSet = {
  text: string
  fix: string
  /** Nothing is lost by it, so `/ready` does not report it. */
  isHarmless?: true
}

/**
 * Settings that are incomplete, but with which a server can run. Harmful combinations are refused when the settings are read.
 *
 * `isGiven` says whether a setting was given, by its name.
 */
function halfSet(config: Config, isGiven: (name: string) => boolean): HalfSet[] {
  const found: HalfSet[] = []
  const say = (wrong: boolean, text: string, fix: string) => void (wrong && found.push({ text, fix }))
  /** `name` does nothing as long as `other` is missing. */
  const needs = (name: string, other: string, isMissing: boolean, therefore: string) =>
    say(
      isGiven(name) && isMissing,
      `${name} is set without ${other}: ${therefore}`,
      `set ${other} too, or leave ${name} out`,
    )

  const { database, redis, media, smtpUrl, webhookUrl, publicUrl, backupDir, webApp } = config
  for (const name of ['MAIL_FROM', 'MAIL_DKIM']) needs(name, 'SMTP_URL', smtpUrl === null, 'no mail is sent')
  needs('WEBHOOK_SECRET', 'WEBHOOK_URL', webhookUrl === null, 'no webhook is sent')
  needs('WEBHOOK_PREVIOUS_SECRET', 'WEBHOOK_URL', webhookUrl === null, 'no webhook is sent')
  for (const name of ['BACKUP_CRON', 'BACKUP_KEEP']) needs(name, 'BACKUP_DIR', backupDir === null, 'no backup is made')
  for (const name of ['REPLICA_KEY', 'REPLICA_KEEP_DAYS'])
    needs(name, 'REPLICA_URL', config.replica === null, 'there is no replica')
  needs('APNS_ENV', 'APNS_KEY', config.apnsKey === null, 'nothing is sent to iOS apps')
  needs('OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_ENDPOINT', config.otlpEndpoint === null, 'no trace is sent')
  for (const name of ['MESSENGER_APP', 'MESSENGER_API_URL', 'MESSENGER_PHOTO_HOSTS', 'INIT_DATA_MAX_AGE_S'])
    needs(name, 'MESSENGER_BOT_TOKEN', config.messengerBotToken === null, 'nobody can log in from the messenger')
  for (const name of ['BRAND_DIR', 'MAP_STYLE_URL', 'FRAME_ANCESTORS'])
    say(
      isGiven(name) && !webApp,
      `${name} is set and WEB_APP is off: there is no page that it changes`,
      `leave out ${name}, or WEB_APP`,
    )
  say(
    config.frameAncestors.length > 0 && webApp && config.cookieSameSite !== 'none',
    'FRAME_ANCESTORS is set without COOKIE_SAMESITE=none: people who open the app in a frame of another site stay signed out',
    'set COOKIE_SAMESITE=none too, or leave FRAME_ANCESTORS out',
  )
  say(
    config.oidc.length > 0 && publicUrl === null,
    'OIDC providers are set without PUBLIC_URL: browsers cannot come back from them, so their login answers 503',
    'set PUBLIC_URL too',
  )
  say(
    config.staffPasskey === 'required' && publicUrl === null,
    'STAFF_PASSKEY is required without PUBLIC_URL: passkeys work at localhost only, so moderators cannot moderate',
    'set PUBLIC_URL too',
  )
  say(
    config.messengerBot && publicUrl === null && config.webApp,
    'MESSENGER_BOT is on without PUBLIC_URL: the bot has to poll for its messages, and cannot link to pages',
    'set PUBLIC_URL too',
  )
  say(
    isGiven('RETENTION') && config.legalDir === null,
    'RETENTION is set without LEGAL_DIR: the default privacy notice names other periods',
    'write your own privacy notice, and set LEGAL_DIR',
  )
  for (const [name, other] of [
    ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ] as const)
    say(
      isGiven(name) !== isGiven(other),
      `${isGiven(name) ? name : other} is set without ${isGiven(name) ? other : name}: a bucket needs both`,
      'set both, or neither',
    )
  if (database.engine === 'sqlite' && redis !== null)
    found.push({
      text: 'REDIS_URL is set with an SQLite database, which other nodes cannot share: Redis has no effect',
      fix: 'leave REDIS_URL out, or move to PostgreSQL: docs/scaling.md',
      isHarmless: true,
    })
  say(
    database.engine === 'postgres' && (redis === null) !== (media === null),
    redis === null
      ? 'MEDIA_URL is set without REDIS_URL: a second node of this PostgreSQL database is refused at its start'
      : 'REDIS_URL is set without MEDIA_URL: a second node of this PostgreSQL database is refused at its start',
    `set ${redis === null ? 'REDIS_URL' : 'MEDIA_URL'} too, the same on all nodes`,
  )
  return found
}

/** The same for a configuration that was read. */
export function halfSetOf(config: Config): HalfSet[] {
  const given = new Set(settingsInForce(config).flatMap(({ name, source }) => (source === 'default' ? [] : [name])))
  return halfSet(config, (name) => given.has(name))
}

/** Whether settings are incomplete, for `/ready`: on this node, or between the nodes of one database. */
export function watchHalfSet(config: Config) {
  let clusterProblem = (): string | null => null
  return {
    isAny: () => halfSetOf(config).some(({ isHarmless }) => !isHarmless) || clusterProblem() !== null,
    /** `problem` says why the living nodes do not fit each other; null if they do. */
    watchCluster(problem: () => string | null) {
      clusterProblem = problem
    },
  }
}
