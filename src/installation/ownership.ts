import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../config.ts'
import type { OwnedAsset, Community } from '../features/community/service.ts'
import { Refusal } from '../lib/refusal.ts'
import { shownPlace } from '../s3/place.ts'

type Where = Pick<Config, 'dataDir' | 'jwtSecret' | 'locationKey' | 'media'>

/** What is wrong with an asset of another community, and how to fix it. */
export function ownershipProblem(asset: OwnedAsset, config: Where): { text: string; fix: string } {
  const secret = (given: Uint8Array | null, setting: string, file: string) => {
    const path = join(config.dataDir, file)
    return given !== null ? `${setting} is not` : existsSync(path) ? `${path} is not` : `${path} is missing:`
  }
  switch (asset) {
    case 'location_key':
      return {
        text: `${secret(config.locationKey, 'LOCATION_KEY', 'location-key')} the key with which the positions in this database were drawn, and another key would publish a new point for each of them`,
        fix: 'put your copy of it there; if it is lost, run convene admin adopt',
      }
    case 'jwt_secret':
      return {
        text: `${secret(config.jwtSecret, 'JWT_SECRET', 'jwt-secret')} the secret with which the community of this database signs`,
        fix: 'put your copy of it there, the same on all nodes; to use another one, run convene admin adopt',
      }
    case 'photos':
      return {
        text: `MEDIA_URL names photos of another community, and each would remove those of the other: ${config.media && shownPlace(config.media)}`,
        fix: 'name a prefix of its own; if the photos belong to this database, run convene admin adopt',
      }
  }
}

const unanswered = 'cannot check which community the secrets and the photos belong to: the database does not answer'

const claimEveryMs = 5000

type Deps = { config: Config; community: Community; log: Logger; made: readonly string[] }

/**
 * Throws ConfigError if a secret or the photos belong to another community, and removes the secrets that this start has
 * generated. An SQLite database has only one server, where another JWT_SECRET merely ends the sessions: it is logged and
 * accepted. Returns whether the photos could not be checked because their bucket is down.
 */
export async function refuseForeignAssets({ config, community, log, made }: Deps): Promise<boolean> {
  let isBucketAway = false
  const photosAway = () => void (isBucketAway = true)
  const foreign = await community.foreignAssets(photosAway).catch((error) => {
    throw error instanceof Refusal && error.code === 'busy' ? new ConfigError(unanswered, { cause: error }) : error
  })
  const isAccepted = (asset: OwnedAsset) => asset === 'jwt_secret' && config.database.engine === 'sqlite'
  const refused = foreign.find((asset) => !isAccepted(asset))
  if (refused !== undefined) {
    for (const path of made) rmSync(path, { force: true })
    const { text, fix } = ownershipProblem(refused, config)
    throw new ConfigError(`${text}: ${fix}`)
  }
  if (foreign.length === 0) return isBucketAway
  await community.adopt('jwt_secret')
  log.warn('JWT_SECRET has changed since the last start: everybody has to log in again')
  return isBucketAway
}

/** Checks the owner of the photos when their bucket answers, and ends the process if they are another community's. */
export function claimPhotosLater({ config, community, log }: Omit<Deps, 'made'>) {
  const claim = async () => {
    try {
      if (!(await community.claimPhotos())) {
        const { text, fix } = ownershipProblem('photos', config)
        log.fatal(`${text}: ${fix}`)
        process.exit(1)
      }
      log.info('the bucket of the images is back')
    } catch {
      // The bucket logs each failure.
      setTimeout(claim, claimEveryMs).unref()
    }
  }
  setTimeout(claim, claimEveryMs).unref()
}
