// Builds dist/: ES modules with their types, as they are published.
import { $ } from 'bun'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle, entries, loadedLater } from './bundle.ts'

const root = join(import.meta.dir, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
await $`bun tsc --project ${root}/tsconfig.json`.cwd(root).quiet()
await bundle([...entries, ...loadedLater], { outdir: join(root, 'dist'), sourcemap: 'linked' })
// Declarations name their neighbours as they are found at run time.
for await (const file of new Bun.Glob('dist/*.d.ts').scan({ cwd: root, absolute: true })) {
  const text = await Bun.file(file).text()
  await Bun.write(file, text.replaceAll(/(from '|from "|import\('|import\(")(\.\/[^'"]+)\.ts/g, '$1$2.js'))
}
