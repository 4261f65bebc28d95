import { days } from '../../lib/time.ts'
import { logFile, type ManifestFile, manifestFile, newestFirst, snapshotPart } from './names.ts'
import type { Place } from './place.ts'

/**
 * Removes each snapshot that a later one replaced more than `keepDays` ago, and the log between the two. Erased data is therefore
 * gone from the replica after so many days. The newest snapshot and its log always stay. Unfinished files go after a day.
 * Returns how many files were removed.
 */
export async function removeExpired(
  place: Place,
  { keepDays, now }: { keepDays: number; now: number },
): Promise<number> {
  const isCutOff = (at: number) => at < now - days
  let removed = await place.removeUnfinished(now - days)
  const manifests = (await Array.fromAsync(place.list('manifest'), ({ name, modified_ms }) => ({ name, modified_ms })))
    .flatMap(({ name, modified_ms }) => {
      const file = manifestFile(name)
      return file ? [{ ...file, at: modified_ms }] : []
    })
    .sort(newestFirst)
  if (manifests.length === 0) return removed
  // With a snapshot a day, the replaced one is at most a day older.
  const cutoff = now - (keepDays - 1) * days
  const firstExpired = manifests.findIndex((_, i) => i > 0 && manifests[i - 1]!.at < cutoff)
  const kept = firstExpired === -1 ? manifests : manifests.slice(0, firstExpired)
  const oldest = kept.at(-1)!
  const keptIds = new Set(kept.map(({ generation, id }) => `${generation}/${id}`))
  const remove = async (name: string) => {
    await place.remove(name)
    removed++
  }
  const newest = manifests[0]!
  const isBefore = (generation: string, to: number, { generation: kept, start }: ManifestFile) =>
    generation < kept || (generation === kept && to <= start)
  // Manifests first: a snapshot without its parts must not be found.
  for (const { name } of firstExpired === -1 ? [] : manifests.slice(firstExpired)) await remove(name)
  for await (const { name, modified_ms } of place.list('snapshot')) {
    const part = snapshotPart(name)
    // A snapshot later than the newest complete one may still be being shipped, however long the place was away.
    const isOld =
      part !== null &&
      !keptIds.has(`${part.generation}/${part.id}`) &&
      isBefore(part.generation, part.start, newest) &&
      (part.generation < oldest.generation || isCutOff(modified_ms))
    if (isOld) await remove(name)
  }
  for (const folder of ['segment', 'log'])
    for await (const { name } of place.list(folder)) {
      const file = logFile(name)
      if (file && isBefore(file.generation, file.to, oldest)) await remove(name)
    }
  return removed
}
