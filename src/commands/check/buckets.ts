import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { openBucket } from '../../s3/bucket.ts'
import { shownPlace } from '../../s3/place.ts'
import { isWritable } from './data-directory.ts'
import { fine, type Finding, wrong } from './finding.ts'
import { messageOf } from '../../lib/errors.ts'

export async function* buckets({ dataDir, media, backupDir, replica }: Config): AsyncGenerator<Finding> {
  const places = {
    MEDIA_URL: media,
    BACKUP_DIR: typeof backupDir === 'string' ? null : backupDir,
    REPLICA_URL: typeof replica === 'string' ? null : replica,
  }
  for (const [name, place] of Object.entries(places)) {
    if (place === null) continue
    try {
      await openBucket(place).probe()
      yield fine(`${shownPlace(place)} takes what ${name} brings`)
    } catch (error) {
      yield wrong(`${name}: ${messageOf(error)}`, 'check the bucket, its keys, the endpoint and the region')
    }
  }
  const left = join(dataDir, 'media')
  if (media === null && existsSync(left) && !isWritable(left))
    yield wrong(
      `images cannot be stored in ${left}`,
      `chown -R it to the user that runs the server, and chmod 700 ${left}`,
    )
  if (media !== null && existsSync(left) && readdirSync(left).length > 0)
    yield wrong(
      `there are images in ${left}, which is not used while MEDIA_URL is set`,
      `copy them into ${shownPlace(media)}, then remove that directory`,
    )
}
