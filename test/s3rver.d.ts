declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http'

  export default class S3rver {
    constructor(options: {
      directory: string
      silent: boolean
      vhostBuckets: boolean
      allowMismatchedSignatures: boolean
      configureBuckets: { name: string }[]
    })
    configureBuckets(): Promise<void>
    callback(): RequestListener
  }
}

declare module '@20minutes/s3rver/lib/models/account.js' {
  export const DUMMY_ACCOUNT: { createKeyPair(accessKeyId: string, secretAccessKey: string): void }
}

declare module '@20minutes/s3rver/lib/utils.js' {
  type Walk = (directory: string, isWanted?: (path: string) => boolean) => Iterable<string>
  const utils: { walk: Walk }
  export default utils
}
