import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyLog, openDatabase } from '../../src/storage/sqlite/database.ts'
import { openStorage } from '../../src/storage/open.ts'

/** How much of a file is mapped into this process and in memory, in bytes. */
function mapped(path: string): number {
  const maps = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
  const sizes = maps
    .filter((map) => map.split('\n', 1)[0]!.endsWith(path))
    .map((map) => Number(/^Rss:\s+(\d+) kB/m.exec(map)![1]))
  return sizes.reduce((sum, size) => sum + size, 0) * 1024
}

test.skipIf(process.platform !== 'linux')('the check at the start leaves the database out of memory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'convene-start-'))
  const path = join(directory, 'convene.db')
  const open = () =>
    openStorage(
      { engine: 'sqlite', path },
      {
        onFatal(error) {
          throw error
        },
      },
    )
  const first = await open()
  await first.storage.close()
  const db = openDatabase(path)
  db.run(`INSERT INTO community (name, value)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    SELECT i, hex(randomblob(200)) FROM n`)
  emptyLog(db)
  db.close()
  const { storage } = await open()
  try {
    const { size } = Bun.file(path)
    expect(size).toBeGreaterThan(4_000_000)
    expect(mapped(path)).toBeGreaterThan(0)
    expect(mapped(path)).toBeLessThan(size / 3)
  } finally {
    await storage.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
