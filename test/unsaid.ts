/**
 * What no log may hold, and how it is looked for: by its shape in any output, and by its very words where a test knows
 * what was sent and answered. As a program it searches files, and exits 1 where one holds such a thing:
 *
 *     bun test/unsaid.ts FILE…
 */

/** A shape that only secrets and positions have. */
const shapes: Record<string, RegExp> = {
  'an access token': /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/,
  'a refresh token': /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d+\.[\w-]{43}/,
  'the signature of init data': /\bhash(?:=|%3D)[0-9a-f]{64}/i,
  'the signature of a link': /\bsig=[\w-]{16,}/,
  'the signature of a link into a bucket': /\bX-Amz-Signature=[0-9a-f]{64}/i,
  'a token in a query': /[?&](?:_t|token)=[^&\s"']{20,}/,
  'a password’s hash': /\$argon2/,
  'a position in a query': /[?&](?:lat|lng)=-?\d/,
  'a position': /["']?\b(?:lat|lng|latitude|longitude)\b["']?\s*[:=]\s*["']?-?\d/i,
}

/** What of such shapes an output holds: each with the line that it stands in. */
export function shapesIn(output: string): string[] {
  const found: string[] = []
  for (const [what, shape] of Object.entries(shapes)) {
    const at = shape.exec(output)?.index
    if (at !== undefined) found.push(`${what}: ${lineAt(output, at)}`)
  }
  return found
}

/** Throws where an output holds a secret by its shape, or one of the given words. */
export function refuseSecrets(output: string, words: Iterable<string> = []): void {
  const found = shapesIn(output)
  // By chance a longitude such as 13.405 is the seconds of a time.
  const timeless = output.replaceAll(/"time":"[\d:.TZ-]+"/g, '')
  for (const word of words) {
    const at = timeless.indexOf(word)
    if (at >= 0) found.push(`what was sent or answered in confidence: ${lineAt(timeless, at)}`)
  }
  if (found.length > 0) throw new Error(`a log holds ${found.join('\nand ')}`)
}

const lineAt = (output: string, at: number) =>
  output.slice(output.lastIndexOf('\n', at) + 1, (output.indexOf('\n', at) + 1 || output.length + 1) - 1).slice(0, 500)

// Of these fields, in requests and answers alike, the values are for nobody else.
const confidential = new Set([
  ...[
    'password',
    'current_password',
    'new_password',
    'init_data',
    'id_token',
    'refresh_token',
    'access_token',
    '_t',
    'token',
  ],
  ...['signature', 'attestationObject', 'clientDataJSON'],
  ...['email', 'phone', 'latitude', 'longitude', 'lat', 'lng'],
  ...['endpoint', 'p256dh', 'auth'],
  ...['text', 'bio', 'details', 'note', 'reason'],
])
// What is shorter may stand in a log by chance.
const shortest: Record<string, number> = { email: 6, phone: 6, latitude: 6, longitude: 6, lat: 6, lng: 6 }

/** Keeps what clients sent and were answered, to look for it in a log. */
export function keepWords() {
  const words = new Set<string>()

  function note(field: string, value: unknown): void {
    if (Array.isArray(value)) for (const item of value) note(field, item)
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) note(name, inner)
    else if (confidential.has(field) && (typeof value === 'string' || typeof value === 'number')) {
      // As it would stand in a line of JSON, and long enough to be known again where it is cut off.
      const word = JSON.stringify(String(value)).slice(1, -1).slice(0, 40)
      if (word.length >= (shortest[field] ?? 12)) words.add(word)
    }
  }

  return {
    words,
    /** A body, as it goes out or comes back: text of JSON, or the value. */
    body(value: unknown) {
      if (typeof value !== 'string') return note('', value)
      try {
        note('', JSON.parse(value))
      } catch {
        // No JSON: a test of what is refused.
      }
    },
    url(path: string) {
      for (const [name, value] of new URL(path, 'http://localhost').searchParams) note(name, value)
    },
  }
}

if (import.meta.main) {
  for (const path of Bun.argv.slice(2)) {
    try {
      refuseSecrets(await Bun.file(path).text())
    } catch (error) {
      console.error((error as Error).message)
      process.exitCode = 1
    }
  }
}
