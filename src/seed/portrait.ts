import { initWasm, Resvg } from '@resvg/resvg-wasm'
import painter from '@resvg/resvg-wasm/index_bg.wasm' with { type: 'file' }
import type { Gender } from '../features/profile/store.ts'
import partsFile from './open-peeps.txt' with { type: 'file' }
import { anybodys, beards, faces, glasses, hers, his } from './portrait-parts.ts'
import type { Random } from './random.ts'

/** SVG with `{skin}`, `{clothes}` and `{hair}` in place of colours. */
type Parts = { body: string } & Record<'heads' | 'faces' | 'beards' | 'glasses', Record<string, string>>

/** The side of a portrait, in pixels, and of the drawing that it is made of. */
const [SIDE, VIEW] = [512, 704]

// Muted colours, other than the app's accent colour.
const backgrounds = ['f1dcc9', 'dbe7d3', 'd3e1ee', 'e8dff0', 'f4e8c1', 'f0d5d5', 'd7e7e3', 'e5e1d8']
const skins = ['f7dcc4', 'f0c3a0', 'dba678', 'b97e55', '8a5a3c', '5e3d2a']
const clothes = ['d9776b', 'e3a857', '7fae8a', '6f9fb8', '7d8bbd', 'b489b0', '4f6d7a', 'c9b79c']
const hair = ['221c1a', '3b2a22', '5a3d2b', '8a5f3c', 'b98a56', '9c4a2c', '8d8883']

const headsOf = (gender: Gender | null) => {
  if (gender === 'female') return [...hers, ...anybodys]
  if (gender === 'male') return [...his, ...anybodys]
  return [...hers, ...his, ...anybodys]
}

async function load(): Promise<Parts> {
  await initWasm(await Bun.file(painter).arrayBuffer())
  return Bun.file(partsFile).json()
}
let loading: Promise<Parts> | null = null

/**
 * Draws somebody who does not exist, as a PNG: made of the parts of Open Peeps by Pablo Stanley (CC0), without a network.
 * The same numbers draw the same portrait.
 */
export async function drawPortrait(random: Random, gender: Gender | null): Promise<Uint8Array> {
  // Once in a process.
  const parts = await (loading ??= load())
  const chosen = [
    parts.heads[random.pick(headsOf(gender))],
    parts.faces[random.pick(faces)],
    gender === 'male' && random.chance(0.4) ? parts.beards[random.pick(beards)] : '',
    random.chance(0.25) ? parts.glasses[random.pick(glasses)] : '',
  ]
  const background = `<rect width="${VIEW}" height="${VIEW}" fill="#${random.pick(backgrounds)}"/>`
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${VIEW} ${VIEW}" fill="none">${background}${parts.body}${chosen.join('')}</svg>`
      .replaceAll('{skin}', `#${random.pick(skins)}`)
      .replaceAll('{clothes}', `#${random.pick(clothes)}`)
      .replaceAll('{hair}', `#${random.pick(hair)}`)
  const drawing = new Resvg(svg, { fitTo: { mode: 'width', value: SIDE } })
  const image = drawing.render()
  try {
    return image.asPng()
  } finally {
    image.free()
    drawing.free()
  }
}
