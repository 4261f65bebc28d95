// Builds dist/: a JavaScript file and its types for each source file, so that bundlers include only what an app uses.
import { $ } from 'bun'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
await $`bun tsc --project ${root}/tsconfig.json`.cwd(root).quiet()
// Declarations import the .js files, as at run time.
for await (const file of new Bun.Glob('dist/*.d.ts').scan({ cwd: root, absolute: true })) {
  const text = await Bun.file(file).text()
  await Bun.write(file, text.replaceAll(/(from '|from "|import\('|import\(")(\.\/[^'"]+)\.ts/g, '$1$2.js'))
}
