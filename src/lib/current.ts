import { seconds } from './time.ts'

// The longest that a node may decide by what another node or the command line has changed, if it is not told.
const believedMs = 2 * seconds

type Versioned = { readonly version: number }

type Deps<T> = {
  /** The newest version's number. */
  newest(): Promise<number>
  load(): Promise<T>
  now: () => number
}

/** What decides on this node, and changes seldom: read once for each version, and looked for again every `believedMs`. */
export function openCurrent<T extends Versioned>({ newest, load: read, now }: Deps<T>) {
  let known: T | null = null
  let checkedAt = Number.NEGATIVE_INFINITY
  // Counts the times that something changed: a look-up that began before must not be believed after.
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
    /** The newest version, or the one of at most `believedMs` ago. No promise where nothing has to be read. */
    current(): T | Promise<T> {
      const age = now() - checkedAt
      if (known !== null && age >= 0 && age < believedMs) return known
      if (loading !== null) return loading
      const started = load().finally(() => {
        if (loading === started) loading = null
      })
      return (loading = started)
    },

    /** It has changed, or may have. */
    forget() {
      epoch++
      checkedAt = Number.NEGATIVE_INFINITY
      loading = null
    },
  }
}
