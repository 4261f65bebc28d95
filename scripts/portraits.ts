// Extracts the parts of portraits for `convene seed --photos` from Open Peeps, by Pablo Stanley (CC0), into one file:
// `bun scripts/portraits.ts`. The package's code with its bytecode would add 5 MB to the binary.
import { createAvatar } from '@dicebear/core'
import * as openPeeps from '@dicebear/open-peeps'
import { beards, faces, glasses, hers, his, anybodys } from '../src/seed/portrait-parts.ts'

const none = { facialHairProbability: 0, accessoriesProbability: 0, maskProbability: 0 }
// Placeholders for the colours that are chosen later; they occur nowhere else.
const marks = { skin: '010203', clothes: '040506', hair: '070809' }

/** The parts of an avatar: the body, and each group after it with its transformation. */
function partsOf(options: object): string[] {
  const svg = createAvatar(openPeeps, {
    ...{ ...none, ...options, seed: '1', skinColor: [marks.skin] },
    ...{ clothingColor: [marks.clothes], headContrastColor: [marks.hair] },
  }).toString()
  const marked = Object.entries(marks).reduce((text, [name, colour]) => text.replaceAll(`#${colour}`, `{${name}}`), svg)
  const body =
    /<g mask="[^"]*">(.*)<\/g><\/svg>$/s.exec(marked)?.[1] ?? marked.replace(/^.*?<\/metadata>|<\/svg>$/gs, '')
  return body.split(/(?=<g transform="(?:matrix\(\.99789|translate\((?:315 248|279 400|179 343|203 303)\)))/)
}

const partOf = (index: number, names: readonly string[], options: (name: string) => object) =>
  Object.fromEntries([...new Set(names)].map((name) => [name, partsOf(options(name))[index]!]))

const parts = {
  body: partsOf({})[0]!,
  heads: partOf(1, [...hers, ...his, ...anybodys], (name) => ({ head: [name] })),
  faces: partOf(2, faces, (name) => ({ face: [name] })),
  beards: partOf(3, beards, (name) => ({ facialHair: [name], facialHairProbability: 100 })),
  glasses: partOf(5, glasses, (name) => ({ accessories: [name], accessoriesProbability: 100 })),
}
await Bun.write('src/seed/open-peeps.txt', `${JSON.stringify(parts)}\n`)
