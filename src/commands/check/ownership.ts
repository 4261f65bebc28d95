import type { Config } from '../../config.ts'
import { foreignSecrets } from '../../features/community/service.ts'
import { legalService } from '../../features/legal/service.ts'
import { ownershipProblem } from '../../installation/ownership.ts'
import { secretsAtHand } from '../../installation/secrets.ts'
import { differingSettings } from '../../installation/shared-settings.ts'
import { openBucket } from '../../s3/bucket.ts'
import { ownerMark } from '../../storage/files/s3.ts'
import { fine, type Finding, wrong } from './finding.ts'

export type Remembered = { name: string; value: string }
export const remembered = 'SELECT name, value FROM community'

/** Whether the secrets and the photos belong to this database. */
export async function* ownedAssets(config: Config, rows: readonly Remembered[]): AsyncGenerator<Finding> {
  const known = new Map(rows.map(({ name, value }) => [name, value]))
  const atHand = secretsAtHand(config)
  const isAtHand = { jwt_secret: atHand.jwt !== null, location_key: atHand.location !== null, photos: true }
  // `dataDirectory` has reported secrets that are missing or unreadable.
  const foreign = foreignSecrets(known, atHand).filter((name) => isAtHand[name])
  // `buckets` has reported a bucket that does not answer.
  const owner =
    config.media &&
    (await openBucket(config.media)
      .get(ownerMark)
      .catch(() => null))
  const isOthers = owner !== null && known.has('id') && Buffer.from(owner).toString().trim() !== known.get('id')
  for (const asset of [...foreign, ...(isOthers ? (['photos'] as const) : [])]) {
    const { text, fix } = ownershipProblem(asset, config)
    yield wrong(text, fix)
  }
  if (foreign.length === 0 && atHand.jwt !== null && atHand.location !== null && known.has('location_key'))
    yield fine('the secrets are those of the database')
}

/** Which settings are not those of the other nodes. */
export function* sharedSettings(config: Config, rows: readonly Remembered[]): Generator<Finding> {
  const { jwt: key } = secretsAtHand(config)
  if (key === null) return
  const known = new Map(rows.map(({ name, value }) => [name, value]))
  if (foreignSecrets(known, { jwt: key, location: null }).includes('jwt_secret')) return
  const legal = legalService({ dir: config.legalDir, contact: config.legalContact })
  const settings = differingSettings(known, { config, legal, key })
  if (settings.length === 0) return
  // Not wrong: the command may have been given the settings of the next restart.
  yield fine(
    `these settings must be the same on all nodes, but differ from the node that was started or reloaded last: ${settings.join(', ')}`,
  )
}
