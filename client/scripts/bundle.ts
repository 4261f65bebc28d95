import { join } from 'node:path'

const source = join(import.meta.dir, '../src')

/** What an app imports. */
export const entries = ['index', 'react', 'indexeddb']
/** What the package loads by itself when it is needed: files beside the entries, so that every bundler and runtime finds them. */
export const loadedLater = ['tabs', 'photo']

/**
 * Bundles each file by itself. Bun's own splitting would add code to the entry that preloads the other files by
 * `import.meta.url`, which React Native does not understand.
 */
export async function bundle(names: string[], options: Partial<Bun.BuildConfig> = {}) {
  const built = await Bun.build({
    entrypoints: names.map((name) => join(source, `${name}.ts`)),
    target: 'browser',
    format: 'esm',
    packages: 'external',
    plugins: [
      {
        name: 'loaded later',
        setup: (build) =>
          void build.onResolve({ filter: new RegExp(`^\\./(${loadedLater.join('|')})\\.ts$`) }, ({ path, kind }) =>
            kind === 'dynamic-import' ? { path: path.replace(/ts$/, 'js'), external: true } : undefined,
          ),
      },
    ],
    ...options,
  })
  if (!built.success) throw new AggregateError(built.logs, 'the build failed')
  return built.outputs
}
