import type { Files } from './files.ts'
import type { ImageCheck } from './image-check.ts'
import type { MediaStore } from './store.ts'

export type ImageChecks = ReturnType<typeof openImageChecks>

type Deps = {
  store: Pick<MediaStore, 'checkOf'>
  /** Null if no checker is set. */
  check: ImageCheck | null
  /** Called with the error if the checker did not answer about an image. */
  unanswered(error: unknown): void
}

type PendingDeps = {
  store: Pick<MediaStore, 'unchecked' | 'noteCheck'>
  files: Pick<Files, 'get'>
  checks: Pick<ImageChecks, 'isOn' | 'ask'>
  /** Called when the checker allows an image that had to wait for its answer. */
  allowed(imageId: string): Promise<void>
}

/** How many images one round sends to the checker again. */
const checksOfRound = 100
const pendingCheck = 'pending'

/** The answers of the operator's checker about images. */
export function openImageChecks({ store, check, unanswered }: Deps) {
  return {
    isOn: check !== null,

    /** Asks the checker about an image. Null if there is no checker, or it does not answer and is not required. */
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

    /** The stored answer about an image; null if there is none and none is needed. */
    async of(imageId: string): Promise<{ action: string; label: string } | null> {
      // A stored answer counts even if there is no checker any longer.
      const found = await store.checkOf(imageId)
      return found?.check_action == null ? null : { action: found.check_action, label: found.check_label ?? '' }
    },
  }
}

/** Checks the images that were stored while the checker did not answer. */
export function openPendingChecks({ store, files, checks, allowed }: PendingDeps) {
  return {
    /** Asks again about some of them. Returns how many the checker has answered. */
    async askAgain(): Promise<number> {
      if (!checks.isOn) return 0
      let answered = 0
      for (const { id, file } of await store.unchecked(checksOfRound)) {
        const stored = await files.get(file)
        if (stored === null) continue
        const checked = await checks.ask(id, await stored.bytes())
        // The checker is still away: the others wait for the next round.
        if (checked === null || checked.check_action === pendingCheck) return answered
        await store.noteCheck(id, checked)
        if (checked.check_action === 'allow') await allowed(id)
        answered++
      }
      return answered
    },
  }
}
