import type { Notification } from './push.ts'

// A phone shows some 200 characters. Providers accept 4 KB in total, and JSON doubles quotes and backslashes.
const longestTitle = 200
const longestBody = 1200

const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/** The title and the body as a device shows them: without line breaks, and short enough for every provider. */
export function shownText({ title, body }: Pick<Notification, 'title' | 'body'>): { title: string; body: string } {
  return { title: clipped(title, longestTitle), body: clipped(body, longestBody) }
}

/** A text of at most `maxBytes` in UTF-8, cut between grapheme clusters. */
function clipped(text: string, maxBytes: number): string {
  const line = text.toWellFormed().replaceAll(controls, ' ')
  if (Buffer.byteLength(line) <= maxBytes) return line
  let kept = ''
  let bytes = Buffer.byteLength('…')
  for (const { segment } of new Intl.Segmenter().segment(line.slice(0, maxBytes))) {
    bytes += Buffer.byteLength(segment)
    if (bytes > maxBytes) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** Whether it should wake up a phone that saves power, because somebody is waiting for it. */
export const isUrgent = ({ kind }: Pick<Notification, 'kind'>) =>
  kind === 'message' || kind === 'chat' || kind === 'test'

/** How long a provider keeps a notification for a device that is off. */
export const keptForS = 24 * 60 * 60
