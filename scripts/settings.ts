// Writes the README's table of settings and .env.example from the table in src/config.ts. A test compares them.
import { join } from 'node:path'
import { settings } from '../src/config.ts'
import { settingsAsEnvFile, settingsAsMarkdown } from '../src/lib/settings.ts'

const root = join(import.meta.dir, '..')
const readme = await Bun.file(join(root, 'README.md')).text()
const table = `<!-- settings -->\n\n${settingsAsMarkdown(settings)}\n\n<!-- /settings -->`
await Bun.write(
  join(root, 'README.md'),
  readme.replace(/<!-- settings -->[\s\S]*<!-- \/settings -->/, () => table),
)
await Bun.write(
  join(root, '.env.example'),
  `# Copy this file to .env and change what you need. Every setting is optional.\n\n${settingsAsEnvFile(settings)}`,
)
