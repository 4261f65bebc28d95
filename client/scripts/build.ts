// Builds dist/: ES modules with their types, as they are published.
import { $ } from 'bun'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
await $`bun tsc --project ${root}/tsconfig.json`.cwd(root).quiet()
const built = await Bun.build({
  entrypoints: ['index', 'react', 'indexeddb'].map((name) => join(root, `src/${name}.ts`)),
  outdir: join(root, 'dist'),
  target: 'browser',
  format: 'esm',
  packages: 'external',
  sourcemap: 'linked',
})
if (!built.success) throw new AggregateError(built.logs, 'the build failed')
// Declarations name their neighbours as they are found at run time.
for await (const file of new Bun.Glob('dist/*.d.ts').scan({ cwd: root, absolute: true })) {
  const text = await Bun.file(file).text()
  await Bun.write(file, text.replaceAll(/(from '|from "|import\("|import\(')(\.\/[^'"]+)\.ts/g, '$1$2.js'))
}
