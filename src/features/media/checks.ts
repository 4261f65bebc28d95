import type { Files } from './files.ts'
import type { ImageCheck } from './image-check.ts'
import type { MediaStore } from './store.ts'

export type ImageChecks = ReturnType<typeof openImageChecks>

type Deps = {
  store: Pick<MediaStore, 'checkOf'>
  /** Null where none is set. */
  check: ImageCheck | null
  /** Told of an image that the checker did not answer about, without the image. */
  unanswered(error: unknown): void
}

type PendingDeps = {
  store: Pick<MediaStore, 'unchecked' | 'noteCheck'>
  files: Pick<Files, 'get'>
  checks: Pick<ImageChecks, 'isOn' | 'ask'>
  /** Told of an image that had to wait for its answer, once the checker allows it. */
  allowed(imageId: string): Promise<void>
}

/** How many images one round asks the checker about again. */
const checksOfRound = 100
const pendingCheck = 'pending'

/** What the operator's checker says of images. */
export function openImageChecks({ store, check, unanswered }: Deps) {
  return {
    isOn: check !== null,

    /** What the checker says of an image; null where there is none, or where it may be left unchecked. */
    async ask(id: string, picture: Uint8Array): Promise<{ check_action: string; check_label: string } | null> {
      if (check === null) return null
      try {
        const { action, label } = await check.ask(id, picture)
        return { check_action: action, check_label: label }
      } catch (error) {
        unanswered(error)
        return check.isRequired ? { check_action: pendingCheck, check_label: '' } : null
      }
    },

    /** What the checker has said of an image; null where it has said nothing, and need not. */
    async of(imageId: string): Promise<{ action: string; label: string } | null> {
      // Also without a checker now: what one has said counts.
      const found = await store.checkOf(imageId)
      return found?.check_action == null ? null : { action: found.check_action, label: found.check_label ?? '' }
    },
  }
}

/** The images that were stored while the checker did not answer. */
export function openPendingChecks({ store, files, checks, allowed }: PendingDeps) {
  return {
    /** Asks again about some of them. Answers about how many the checker has said something now. */
    async askAgain(): Promise<number> {
      if (!checks.isOn) return 0
      let answered = 0
      for (const { id, file } of await store.unchecked(checksOfRound)) {
        const stored = await files.get(file)
        if (stored === null) continue
        const checked = await checks.ask(id, await stored.bytes())
        // It is away: the others wait for the next round.
        if (checked === null || checked.check_action === pendingCheck) return answered
        await store.noteCheck(id, checked)
        if (checked.check_action === 'allow') await allowed(id)
        answered++
      }
      return answered
    },
  }
}
