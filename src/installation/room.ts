import { randomBytes, randomUUID } from 'node:crypto'
import { open, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import type { CommunityStore } from '../features/community/store.ts'
import { seconds } from '../lib/time.ts'

export type Room = ReturnType<typeof openRoom>

// Less than this counts as full, because a single group of writes may need as much.
const leastBytes = 2 ** 20
const probeBytes = 64 * 1024
const believedMs = 5 * seconds

/** Bytes that this process can still write there. */
async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

type Deps = {
  config: Pick<Config, 'dataDir' | 'database'>
  store: Pick<CommunityStore, 'set'>
  now: () => number
  free?: (path: string) => Promise<number>
}

/**
 * Whether there is space to write. A disk reports how much is left. A quota, a file size limit or a remote database shows it only
 * by refusing a write: after that, test writes are made until one succeeds.
 */
export function openRoom({ config: { dataDir, database }, store, now, free = freeBytes }: Deps) {
  const directories = new Set([
    dataDir,
    ...(database.engine === 'sqlite' && database.path !== ':memory:' ? [dirname(database.path)] : []),
  ])
  let wasRefused = false
  let known: { at: number; answer: Promise<boolean> } | null = null

  async function look(): Promise<boolean> {
    for (const directory of directories) {
      // A database that is down says nothing about space.
      const left = await free(directory).catch(() => Infinity)
      if (left < leastBytes) return false
    }
    if (!wasRefused) return true
    // Both are waited for, so that no test file is left half written.
    const tried = await Promise.allSettled([tryDatabase(store), tryFile(dataDir)])
    wasRefused = tried.some(({ status }) => status === 'rejected')
    return !wasRefused
  }

  return {
    /** A request was refused with `storage_full`. */
    refused() {
      if (!wasRefused) known = null
      wasRefused = true
    },

    /** At most some seconds old. */
    isLeft(): Promise<boolean> {
      if (known === null || Math.abs(now() - known.at) >= believedMs) known = { at: now(), answer: look() }
      return known.answer
    },
  }
}

/** Makes a test write. Throws if the database refuses it. */
export async function tryDatabase(store: Pick<CommunityStore, 'set'>): Promise<void> {
  // Long enough to need new pages, and random, so that it cannot be compressed.
  await store.set('room_probe', randomBytes(probeBytes).toString('base64'))
  await store.set('room_probe', '')
}

async function tryFile(directory: string): Promise<void> {
  const path = join(directory, `room-${randomUUID()}.part`)
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(new Uint8Array(probeBytes))
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}
