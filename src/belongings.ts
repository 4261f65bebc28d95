import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from './config.ts'
import type { Belonging, Community } from './features/community/service.ts'
import { Refusal } from './refusal.ts'
import { shownPlace } from './s3-place.ts'

type Where = Pick<Config, 'dataDir' | 'jwtSecret' | 'locationKey' | 'media'>

/** What is wrong with something that is another community's, and how to mend it. */
export function strangeness(belonging: Belonging, config: Where): { text: string; mend: string } {
  const secret = (given: Uint8Array | null, setting: string, file: string) => {
    const path = join(config.dataDir, file)
    return given !== null ? `${setting} is not` : existsSync(path) ? `${path} is not` : `${path} is missing:`
  }
  switch (belonging) {
    case 'location_key':
      return {
        text: `${secret(config.locationKey, 'LOCATION_KEY', 'location-key')} the key by which the positions in this database are drawn, and another one would draw all of them anew`,
        mend: 'put your copy of it there; where it is lost, convene admin adopt',
      }
    case 'jwt_secret':
      return {
        text: `${secret(config.jwtSecret, 'JWT_SECRET', 'jwt-secret')} the secret by which the community of this database signs`,
        mend: 'put your copy of it there, the same on all nodes; where it is to be another one, convene admin adopt',
      }
    case 'photos':
      return {
        text: `MEDIA_URL names photos of another community, and each would remove those of the other: ${shownPlace(config.media!)}`,
        mend: 'name a prefix of its own; where the photos are those of this database, convene admin adopt',
      }
  }
}

const unanswered =
  'whose the secrets and the photos are cannot be told now: the database, or the bucket of MEDIA_URL, does not answer'

type Here = { config: Config; community: Community; log: Logger; made: readonly string[] }

/**
 * Throws ConfigError where a secret or the photos are another community's, and takes back the secrets that this start has
 * made. A file has one server, so that another JWT_SECRET does no harm there but the logins: it is told, and taken.
 */
export async function refuseStrange({ config, community, log, made }: Here): Promise<void> {
  const strange = await community.strange().catch((error) => {
    throw error instanceof Refusal && error.code === 'busy' ? new ConfigError(unanswered, { cause: error }) : error
  })
  const isTaken = (belonging: Belonging) => belonging === 'jwt_secret' && config.database.engine === 'sqlite'
  const refused = strange.find((belonging) => !isTaken(belonging))
  if (refused !== undefined) {
    for (const path of made) rmSync(path, { force: true })
    const { text, mend } = strangeness(refused, config)
    throw new ConfigError(`${text}: ${mend}`)
  }
  if (strange.length === 0) return
  await community.adopt('jwt_secret')
  log.warn('JWT_SECRET has changed since the last start: everybody has to log in again')
}
