import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { type KnownFiles, lookForAll, lookForSome } from '../../features/media/presence.ts'
import { ids } from '../../lib/ids.ts'
import { shownPlace } from '../../s3/place.ts'
import { openFiles, tellOperator } from '../../storage/files/open.ts'
import { fine, type Finding, wrong } from './finding.ts'

// Each look-up in a bucket is a billed request.
const photosLookedForElsewhere = 100

/** Whether the images that the database lists exist: all of them on a disk, a sample in a bucket. */
export async function* photos(config: Config, store: KnownFiles): AsyncGenerator<Finding> {
  const directory = join(config.dataDir, 'media')
  const place = config.media === null ? directory : shownPlace(config.media)
  // Opening the disk would create the directory, and this command changes nothing.
  const files = config.media === null && !existsSync(directory) ? noFiles : openFiles(config, tellOperator)
  const found = await (
    files.remote ? lookForSome({ store, files }, ids.random(), photosLookedForElsewhere) : lookForAll({ store, files })
  ).catch((error) => {
    // `buckets` has reported a bucket that does not answer.
    if (files.remote) return null
    throw error
  })
  if (found === null) return
  const { looked, missing } = found
  yield missing === 0
    ? fine(`no photo is missing: ${looked} were looked for in ${place}`)
    : wrong(
        `${missing} of ${looked} photos are missing in ${place}`,
        'mount the disk, or copy the files from a backup; for photos that are lost for good: convene admin lost-photos',
      )
}

const noFiles = { missing: async (names: readonly string[]) => [...names], remote: null }
