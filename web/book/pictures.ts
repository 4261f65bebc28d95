// Drawn pictures of people who do not exist, and of places, so that the book needs no photos.

type Look = {
  skin: string
  hair: string
  shirt: string
  back: string
  cut: 'long' | 'short' | 'bun' | 'curls' | 'bald'
  beard?: true
  glasses?: true
}

/** In the order of the book's people, whose names they have to fit: Jonas, Priya, Amara, Lena, Henrik, Kwame, Sofia, and Mia. */
const looks: Look[] = [
  { skin: '#edbf9c', hair: '#8a5a33', shirt: '#2f6f73', back: '#f0d9b5', cut: 'short' },
  { skin: '#c98a5e', hair: '#1f1712', shirt: '#d98e32', back: '#bcd4c6', cut: 'long' },
  { skin: '#8d5a3b', hair: '#140f0c', shirt: '#a63d40', back: '#f2c49b', cut: 'curls' },
  { skin: '#f0c5a3', hair: '#d8b36a', shirt: '#556b4f', back: '#cfd9d2', cut: 'bun' },
  { skin: '#f3cbb0', hair: '#b5562a', shirt: '#3d5a80', back: '#dfe7ee', cut: 'short', beard: true },
  { skin: '#6f4530', hair: '#0f0b09', shirt: '#e0a458', back: '#a8c3bc', cut: 'short', glasses: true },
  { skin: '#e8b48f', hair: '#4a2c1a', shirt: '#40798c', back: '#ecd6c0', cut: 'long' },
  { skin: '#f5d3bb', hair: '#2b2b33', shirt: '#7d5a80', back: '#e7dccb', cut: 'long', glasses: true },
  { skin: '#d39c72', hair: '#33211a', shirt: '#22333b', back: '#d9c7b4', cut: 'bun' },
  { skin: '#e0a981', hair: '#6b6560', shirt: '#6a994e', back: '#d4dde6', cut: 'bald', beard: true },
]

const hairOf = ({ cut, hair }: Look): [behind: string, before: string] => {
  const cap = `<path fill="${hair}" d="M102 172c-6-62 32-96 98-96s104 34 98 96c-10-34-34-52-62-56-44 20-98 14-134 56z"/>`
  switch (cut) {
    case 'long':
      return [`<path fill="${hair}" d="M200 66c-78 0-112 52-108 124l-8 132h232l-8-132c4-72-30-124-108-124z"/>`, cap]
    case 'bun':
      return [
        `<circle cx="200" cy="62" r="40" fill="${hair}"/><path fill="${hair}" d="M96 190c-4-70 34-114 104-114s108 44 104 114z"/>`,
        cap,
      ]
    case 'curls': {
      const curls = [
        [108, 150],
        [112, 106],
        [146, 76],
        [190, 62],
        [234, 70],
        [276, 96],
        [294, 142],
        [98, 196],
        [302, 192],
      ]
      return [curls.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="40" fill="${hair}"/>`).join(''), cap]
    }
    case 'bald':
      return ['', '']
    case 'short':
      return [`<path fill="${hair}" d="M98 200c-8-80 30-132 102-132s110 52 102 132z"/>`, cap]
  }
}

const asUrl = (svg: string) => `data:image/svg+xml,${encodeURIComponent(svg)}`

/** The portrait of the person with this number. */
export function portrait(number: number): string {
  const look = looks[number % looks.length]
  if (!look) throw new Error('there is no such person')
  const [behind, before] = hairOf(look)
  const { skin, hair, shirt, back } = look
  const beard = look.beard
    ? `<path fill="${hair}" opacity=".9" d="M114 206c2 74 40 106 86 106s84-32 86-106c-18 30-46 38-86 38s-68-8-86-38z"/>`
    : ''
  const glasses = look.glasses
    ? '<g fill="none" stroke="#2b2623" stroke-width="6"><circle cx="160" cy="196" r="28"/><circle cx="240" cy="196" r="28"/><path d="M188 194q12-8 24 0"/></g>'
    : ''
  return asUrl(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="400" height="400">
<defs><radialGradient id="b" cx=".3" cy=".2" r="1.1"><stop offset="0" stop-color="#fff" stop-opacity=".75"/><stop offset="1" stop-color="${back}"/></radialGradient></defs>
<rect width="400" height="400" fill="${back}"/><rect width="400" height="400" fill="url(#b)"/>
${behind}<path fill="${skin}" d="M164 268h72v62c0 30-72 30-72 0z"/><path fill="#000" opacity=".12" d="M164 290q36 32 72 0v18q-36 32-72 0z"/>
<path fill="${shirt}" d="M40 400c4-62 56-92 118-96 20 34 64 34 84 0 62 4 114 34 118 96z"/>
<path fill="${skin}" d="M112 180c0-72 40-104 88-104s88 32 88 104c0 82-40 130-88 130s-88-48-88-130z"/>
<circle cx="108" cy="206" r="18" fill="${skin}"/><circle cx="292" cy="206" r="18" fill="${skin}"/>${beard}
<path d="M172 254q28 26 56 0" fill="none" stroke="${look.beard ? '#f2e6dc' : '#8c3f36'}" stroke-width="7" stroke-linecap="round"/>
<circle cx="160" cy="198" r="8" fill="#2b2119"/><circle cx="240" cy="198" r="8" fill="#2b2119"/>
<path d="M142 170q18-12 36-2M222 168q18-10 36 2" fill="none" stroke="${hair}" stroke-width="7" stroke-linecap="round"/>
<path d="M198 204q-10 24 4 26" fill="none" stroke="#000" stroke-opacity=".25" stroke-width="5" stroke-linecap="round"/>
<g fill="#d9604c" opacity=".22"><circle cx="140" cy="236" r="17"/><circle cx="260" cy="236" r="17"/></g>${glasses}${before}</svg>`)
}

/** A café at the river in the evening, as somebody might photograph it. */
export const river = asUrl(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 600" width="900" height="600">
<defs><linearGradient id="s" x2="0" y2="1"><stop offset="0" stop-color="#31527a"/><stop offset=".55" stop-color="#f0a36b"/><stop offset="1" stop-color="#f8d9a0"/></linearGradient>
<linearGradient id="w" x2="0" y2="1"><stop offset="0" stop-color="#d98f66"/><stop offset="1" stop-color="#23405c"/></linearGradient></defs>
<rect width="900" height="360" fill="url(#s)"/><circle cx="640" cy="300" r="52" fill="#ffe9b8"/>
<path fill="#2a3145" d="M0 330V236h70v-46h54v46h60v-96l28-40 28 40v96h90v-30h72v30h90v-64h66v64h110v-22h80v22h152v94z"/>
<rect y="330" width="900" height="270" fill="url(#w)"/><g fill="#ffe9b8" opacity=".55"><rect x="596" y="352" width="92" height="7" rx="3"/><rect x="574" y="388" width="130" height="7" rx="3"/><rect x="606" y="428" width="74" height="7" rx="3"/></g>
<path fill="#3d2a20" d="M0 520h900v80H0z"/><ellipse cx="240" cy="518" rx="112" ry="20" fill="#e9e2d8"/><path fill="#f7f3ec" d="M164 410h152l-16 88q-60 30-120 0z"/><ellipse cx="240" cy="412" rx="76" ry="17" fill="#5b3721"/>
<path d="M312 428q54-4 44 32-8 26-52 22" fill="none" stroke="#f7f3ec" stroke-width="12"/><g fill="none" stroke="#fff" stroke-opacity=".5" stroke-width="6" stroke-linecap="round"><path d="M214 388q-14-24 4-44t2-42M262 388q-14-24 4-44t2-42"/></g></svg>`)

/** The placeholder of the photo until it has loaded: a few of its colours. */
export const riverPlaceholder = asUrl(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 2"><path fill="#8c7a76" d="M0 0h3v1H0z"/><path fill="#6b5a58" d="M0 1h3v1H0z"/></svg>',
)
