import { join } from 'node:path'
import type { BunPlugin } from 'bun'

const root = join(import.meta.dir, '..')

/** The languages of a face: those that have a file in `web/<face>/texts`. */
export function languagesOf(face: string): string[] {
  const files = [...new Bun.Glob('*.ts').scanSync({ cwd: join(root, 'web', face, 'texts') })]
  return files
    .map((file) => {
      const language = file.slice(0, -'.ts'.length)
      if (!/^[a-z]{2,3}$/.test(language))
        throw new Error(`web/${face}/texts/${file} must be named after a language, such as de.ts`)
      return language
    })
    .toSorted()
}

/** Resolves `import texts from 'texts:app'` to functions that load the texts of each language of a face, each from its own file. */
export const texts: BunPlugin = {
  name: 'texts',
  setup(build) {
    build.onResolve({ filter: /^texts:/ }, ({ path }) => ({ path: path.slice('texts:'.length), namespace: 'texts' }))
    build.onLoad({ filter: /./, namespace: 'texts' }, ({ path: face }) => {
      const folder = join(root, 'web', face, 'texts')
      const lines = languagesOf(face).map(
        (language) =>
          `${language}: () => import(${JSON.stringify(join(folder, `${language}.ts`))}).then((file) => file.${language}),`,
      )
      return { contents: `export default {\n${lines.join('\n')}\n}`, loader: 'js' }
    })
  },
}
