// Photos of the outbox. Loaded when the client is connected, or with the first photo.
import type { Api } from './api.ts'
import type { ScopedStorage } from './storage.ts'
import type { Photo, Problem } from './types.ts'

type Answer = { data?: { id: string }; error?: Problem; response: Response }

const keyOf = (id: string) => `photo:${id}`

/** Stores the photo of an entry. */
export const keep = async (storage: ScopedStorage, id: string, photo: Photo) =>
  storage.set(keyOf(id), await toText(photo))

/** Uploads the photo of an entry: the stored one, or else the one in memory, whose file may have changed or gone. */
export async function upload(api: Api, storage: ScopedStorage, id: string, inMemory?: Photo): Promise<Answer> {
  const photo = await readable(storage, id, inMemory).catch(() => null)
  if (!photo) return { error: lostPhoto, response: Response.error() }
  const form = new FormData()
  form.append('file', photo as Blob, 'photo')
  // The types describe the fields of the form; the body is the form itself.
  return api.POST('/api/v1/media', { body: form as unknown as { file: string } })
}

async function readable(storage: ScopedStorage, id: string, inMemory?: Photo): Promise<Photo | null> {
  const stored = fromText(await storage.get(keyOf(id)))
  if (stored || !inMemory || 'uri' in inMemory) return stored ?? inMemory ?? null
  // Read here, because `fetch` fails for an unreadable file as it does without a network.
  return new Blob([await inMemory.arrayBuffer()], { type: inMemory.type })
}

const lostPhoto: Problem = {
  type: 'about:blank',
  title: 'Photo lost',
  status: 422,
  detail: 'The photo is no longer on this device.',
  code: 'validation_failed',
  request_id: '',
}

async function toText(file: Photo): Promise<string> {
  if ('uri' in file) return JSON.stringify(file)
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return `${file.type},${btoa(text)}`
}

function fromText(text: string | null): Photo | null {
  if (!text) return null
  if (text.startsWith('{')) return JSON.parse(text)
  const [type, data] = text.split(',') as [string, string]
  return new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type })
}
