// Writes src/openapi.ts from the document of a server that it starts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { file, openapiTypes } from './openapi-types.ts'

const directory = mkdtempSync(join(tmpdir(), 'convene-types-'))
const port = 20_000 + Math.floor(Math.random() * 20_000)
const server = Bun.spawn([process.execPath, 'src/main.ts', 'serve'], {
  cwd: join(import.meta.dir, '../..'),
  env: { PATH: process.env.PATH, DATA_DIR: directory, PORT: `${port}`, LOG_LEVEL: 'error' },
  stdout: 'ignore',
  stderr: 'inherit',
})
try {
  const url = `http://127.0.0.1:${port}/openapi/json`
  let response: Response | null = null
  while (!response) {
    if (server.exitCode !== null) throw new Error('the server ended')
    response = await fetch(url).catch(() => null)
    if (!response) await Bun.sleep(50)
  }
  await Bun.write(file, await openapiTypes(await response.json()))
} finally {
  server.kill()
  await server.exited
  rmSync(directory, { recursive: true })
}
