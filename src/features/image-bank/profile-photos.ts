import { setImmediate } from 'node:timers/promises'
import type { Filter } from '../filter/service.ts'
import { openBank } from './bank.ts'
import type { HashesOf } from './service.ts'
import type { BankProgress, ImageBankStore } from './store.ts'

type Deps = {
  store: Pick<ImageBankStore, 'progress' | 'hashes' | 'photosAfter' | 'noteProgress'>
  hashesOf: HashesOf
  filter: Pick<Filter, 'shownPhoto'>
  /** Reports a profile by rule. */
  report(userId: string): Promise<void>
  /** False if the profile shows another photo by now. */
  takeDown(userId: string, imageId: string): Promise<boolean>
}

const batch = 200
const photosOfRound = 10_000

/** Compares the photos of profiles with images that were banned after they were set. */
export function profilePhotoCheck({ store, hashesOf, filter, report, takeDown }: Deps) {
  /** Continues where the last round stopped. Returns how many photos the rules object to. */
  async function check(): Promise<number> {
    const progress = await store.progress()
    const { version, checked_to } = progress
    if (checked_to >= version) return 0
    const target = progress.checking_to ?? version
    const bank = openBank(target, await store.hashes(checked_to, target))
    let found = 0
    let last = progress.checked_id ?? ''
    for (let compared = 0; bank.size > 0 && compared < photosOfRound; compared += batch) {
      const photos = await store.photosAfter(last, batch)
      for (const { user_id, image_id } of photos) {
        const hashes = await hashesOf(image_id)
        if (hashes === null || hashes === 'no_such_image') continue
        const actions = await filter.shownPhoto(user_id, (most) => bank.nearest(hashes, most))
        if (actions.length > 0) found++
        if (actions.includes('refuse')) await takeDown(user_id, image_id)
        else if (actions.includes('flag')) await report(user_id)
        // A comparison may take a millisecond: let requests run in between.
        await setImmediate()
      }
      const lastPhoto = photos.at(-1)
      if (lastPhoto === undefined || photos.length < batch) return done(target, found)
      last = lastPhoto.user_id
      await store.noteProgress({ checked_to, checking_to: target, checked_id: last })
    }
    return bank.size === 0 ? done(target, found) : found
  }

  async function done(checked_to: BankProgress['checked_to'], found: number): Promise<number> {
    await store.noteProgress({ checked_to, checking_to: null, checked_id: null })
    return found
  }

  return { check }
}
