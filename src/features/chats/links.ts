import { plain } from '../../lib/invisible.ts'

// Without a scheme or path, only common top-level domains that are no words count: many people leave out the space after
// a full stop.
const domains = 'ai app biz ch com cz dev fr gg info io kz lt lv net nl org pl ru рф shop site store tr tv ua uk xyz'
const link = new RegExp(
  `(?<![a-z])[a-z][a-z\\d+.-]{0,19}://|(?:mailto|magnet|h[tx]{2}ps?):|www\\.|t\\.me|@[a-z0-9_]{4,}|[\\p{L}\\p{N}-]\\.(?:\\p{L}{2,}/|(?:xn--[a-z\\d-]+|${domains.replaceAll(' ', '|')})(?![\\p{L}\\p{N}]))`,
  'iu',
)

/** Whether a text contains a URL, a domain or an account's handle. */
export const hasLink = (text: string) => link.test(plain(text))
