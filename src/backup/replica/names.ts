/** The marker file at the root of every replica. */
export const marker = 'convene-replica.json'
export const journalName = 'erasures.log'

export const numbered = (seq: number) => String(seq).padStart(10, '0')
export const logName = (generation: string, seq: number) => `log/${generation}/${numbered(seq)}`

const logPattern = /^log\/([^/]+)\/(\d{10})$/
const segmentPattern = /^segment\/([^/]+)\/(\d{10})-(\d{10})$/
const manifestPattern = /^manifest\/([^/]+)\/(\d{10})-((\d{10})-[0-9a-f]{8})$/
const snapshotPattern = /^snapshot\/([^/]+)\/((\d{10})-[0-9a-f]{8})\/\d{6}$/

/** A file of the log, with one number or a range of them. */
export type LogFile = { name: string; generation: string; from: number; to: number }

export function logFile(name: string): LogFile | null {
  const [, generation, from, to = from] = logPattern.exec(name) ?? segmentPattern.exec(name) ?? []
  return generation === undefined ? null : { name, generation, from: Number(from), to: Number(to) }
}

/** `seq` is the first state that can be restored from the snapshot, and `id` names its parts. */
export type ManifestFile = { name: string; generation: string; seq: number; id: string; start: number }

export function manifestFile(name: string): ManifestFile | null {
  const [, generation, seq, id, start] = manifestPattern.exec(name) ?? []
  return generation === undefined ? null : { name, generation, seq: Number(seq), id: id!, start: Number(start) }
}

export function snapshotPart(name: string): { generation: string; id: string; start: number } | null {
  const [, generation, id, start] = snapshotPattern.exec(name) ?? []
  return generation === undefined ? null : { generation, id: id!, start: Number(start) }
}

/** The generation that a file belongs to; null for files without one, such as photos. */
export const generationOf = (name: string): string | null =>
  /^(?:log|manifest|snapshot)\/([^/]+)\//.exec(name)?.[1] ?? null

/** Newest first: a generation's name starts with its time. */
export const newestFirst = (a: ManifestFile, b: ManifestFile) =>
  a.generation === b.generation ? b.seq - a.seq : a.generation < b.generation ? 1 : -1

/** The name under which a spool file is shipped. */
export const shippedAs = (file: string) => file.slice(file.indexOf(' ') + 1).replaceAll(',', '/')

export const isSpooled = (file: string) => /^\d{12} [^ ]+$/.test(file) && !file.endsWith('.part')

/** Whether a spool file is a photo, or the journal of erasures. */
export const isFile = (file: string) => {
  const name = shippedAs(file)
  return logFile(name) === null && !name.startsWith('manifest/') && !name.startsWith('snapshot/')
}
