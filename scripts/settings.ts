// Writes the README's table of settings, .env.example and deploy/convene.toml from the table of src/config.ts. A test compares them.
import { join } from 'node:path'
import { settings, settingsInFile } from '../src/config.ts'
import { settingsAsEnvFile, settingsAsMarkdown, settingsAsToml } from '../src/lib/settings.ts'

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
await Bun.write(
  join(root, 'deploy/convene.toml'),
  `# Settings of Convene. Copy this file to convene.toml in DATA_DIR, or name it by --config FILE, and change what you need.
# A variable of the environment has precedence. Add _file to a name, as in jwt_secret_file, to read its value from a file.

${settingsAsToml(settingsInFile)}`,
)
