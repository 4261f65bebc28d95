import manifest from '../package.json'

/** The release, such as `0.6.0`. */
export const { version } = manifest
