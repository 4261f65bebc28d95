import { seconds } from './time.ts'

// How long a node may use an old version if it misses the notification that another node or the command line changed it.
const maxAgeMs = 2 * seconds

type Versioned = { readonly version: number }

type Deps<T> = {
  /** The newest version's number. */
  newest(): Promise<number>
  load(): Promise<T>
  now: () => number
}

/** Caches a value that changes seldom: loads each version once, and checks for a newer one every `maxAgeMs`. */
export function openCurrent<T extends Versioned>({ newest, load: read, now }: Deps<T>) {
  let known: T | null = null
  let checkedAt = Number.NEGATIVE_INFINITY
  // Counts the changes: the result of a look-up that began before a change is not cached.
  let epoch = 0
  let loading: Promise<T> | null = null

  async function load(): Promise<T> {
    const began = epoch
    const at = now()
    let found = known
    if (found === null || (await newest()) !== found.version) found = await read()
    if (began === epoch) {
      known = found
      checkedAt = at
    }
    return found
  }

  return {
    /** The newest version, or one that was checked within `maxAgeMs`. Synchronous if nothing has to be read. */
    current(): T | Promise<T> {
      const age = now() - checkedAt
      if (known !== null && age >= 0 && age < maxAgeMs) return known
      if (loading !== null) return loading
      const started = load().finally(() => {
        if (loading === started) loading = null
      })
      return (loading = started)
    },

    /** Drops the cached value, which has changed or may have. */
    forget() {
      epoch++
      checkedAt = Number.NEGATIVE_INFINITY
      loading = null
    },
  }
}
