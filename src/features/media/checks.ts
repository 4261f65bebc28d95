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
  /** Delivers the messages that were held only until their image was checked, if it is allowed now. */
  releaseChecked(): Promise<void>
}

/** How many images one round sends to the checker again. */
const checksOfRound = 100
/** After so many unanswered images in a row, the checker counts as away until the next round. */
const mostUnanswered = 3
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
export function openPendingChecks({ store, files, checks, releaseChecked }: PendingDeps) {
  // The image that was asked about last. The next round begins after it, so that no image holds up the others for ever.
  let last = ''

  /** Asks again about some of them. Returns how many the checker has answered. */
  async function askAbout(images: Awaited<ReturnType<MediaStore['unchecked']>>): Promise<number> {
    let [answered, unanswered] = [0, 0]
    for (const { id, file } of images) {
      last = id
      const stored = await files.get(file)
      if (stored === null) continue
      const checked = await checks.ask(id, await stored.bytes())
      if (checked === null || checked.check_action === pendingCheck) {
        if (++unanswered === mostUnanswered) return answered
        continue
      }
      unanswered = 0
      await store.noteCheck(id, checked)
      answered++
    }
    if (images.length < checksOfRound) last = ''
    return answered
  }

  return {
    /** Asks again about some of them, and delivers what waited for the answers. Returns how many the checker has answered. */
    async askAgain(): Promise<number> {
      if (!checks.isOn) return 0
      const answered = await askAbout(await store.unchecked(checksOfRound, last))
      await releaseChecked()
      return answered
    },
  }
}
