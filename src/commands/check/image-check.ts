import type { Config } from '../../config.ts'
import { fine, type Finding } from './finding.ts'

/** Where images are checked. Nothing is sent. The path and the query may hold a secret, so they are not shown. */
export function* imageCheck({ imageCheckUrl, imageCheck }: Config): Generator<Finding> {
  if (imageCheckUrl === null) return
  const { origin, protocol } = new URL(imageCheckUrl)
  const otherwise = imageCheck === 'required' ? 'held' : 'stored unchecked'
  yield fine(
    `images are checked by ${origin}${protocol === 'http:' ? ', unencrypted' : ''}, and ${otherwise} if it does not answer`,
  )
}
