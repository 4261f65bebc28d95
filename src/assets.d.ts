// Files imported as text (`with { type: 'text' }`), so that the compiled binary carries them.
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.md' {
  const text: string
  export default text
}

// Files imported as files (`with { type: 'file' }`): the path where they can be read, inside the binary too.
declare module '*/replicator.js' {
  const path: string
  export default path
}

declare module '*/checkpointer.js' {
  const path: string
  export default path
}
declare module '*/syncer.js' {
  const path: string
  export default path
}
declare module 'swagger-ui-dist/*.css' {
  const path: string
  export default path
}
declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string
  export default path
}

// Made by `bun run build:web`.
declare module '*/web/dist/files.js' {
  const files: import('./http/web-files.ts').WebFiles
  export const assets: typeof files.assets
  export const pages: typeof files.pages
  export const workers: typeof files.workers
}
declare module '*/open-peeps.txt' {
  const path: string
  export default path
}
declare module '*.wasm' {
  const path: string
  export default path
}

// The library's index loads its stores for a dozen databases too.
declare module 'rate-limiter-flexible/lib/RateLimiterMemory.js' {
  export { RateLimiterMemory as default } from 'rate-limiter-flexible'
}
declare module 'rate-limiter-flexible/lib/RateLimiterRes.js' {
  export { RateLimiterRes as default } from 'rate-limiter-flexible'
}
