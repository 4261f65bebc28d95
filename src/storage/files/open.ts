import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Files } from '../../features/media/files.ts'
import { openDiskFiles } from './disk.ts'
import { openS3Files, type S3Options } from './s3.ts'

/** The configured store of images. */
export const openFiles = ({ media, dataDir }: Pick<Config, 'media' | 'dataDir'>, options: S3Options): Files =>
  media === null ? openDiskFiles(join(dataDir, 'media')) : openS3Files(media, options)

/** For commands, which report the bucket's own error to the operator at once. */
export const tellOperator: S3Options = {
  now: Date.now,
  onAnswer(_, __, error) {
    if (error) throw error
  },
}
