const raw = String.raw

// Viramas of Indic scripts, which suppress a letter's vowel.
const virama = raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0F84\u1039\u103A\u17D2\u1B44\u1BAA\uA8C4\uA953\uA9C0\uAAF6\uABED]`
const arabic = raw`[\p{Script=Arabic}&&\p{L}]`
// Arabic letters that do not join to the next one (ArabicShaping.txt of Unicode: joining types U and R).
const unjoined = raw`[\u0621-\u0625\u0627\u0629\u062F-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06C0\u06C3-\u06CB\u06CD\u06CF\u06D2\u06D3\u06D5\u06EE\u06EF\u0759-\u075B\u076B\u076C\u0771\u0773\u0774\u0778\u0779\u08AA-\u08AC\u08AE\u08B1\u08B2\u08B9]`
const otherJoining = raw`[\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]`

// Where invisible characters change how others look. For joiners, see RFC 5892, appendix A.
const needed = [
  // Emoji: families and professions, the form of a symbol, keycaps, flags of regions.
  raw`(?<=\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D(?=\p{Extended_Pictographic})`,
  raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  raw`(?<=\u{1F3F4})[\u{E0020}-\u{E007E}]+\u{E007F}`,
  // The forms of Chinese characters, as in Japanese names; those of Mongolian letters, and its vowel separator.
  raw`(?<=\p{Script=Han})[\uFE00-\uFE0D\u{E0100}-\u{E01EF}]`,
  raw`(?<=\p{Script=Mongolian})[\u180B-\u180D\u180F]`,
  raw`(?<=\p{Script=Mongolian})\u180E(?=\p{Script=Mongolian})`,
  // Half letters and conjuncts.
  raw`(?<=${virama})\u200D|\u200D(?=${virama})|(?<=${virama})\u200C(?=\p{L})`,
  // Letters that would join, as in many Persian names.
  raw`(?<=[${arabic}--${unjoined}]\p{M}*)\u200C(?=${arabic})`,
  raw`(?<=${otherJoining}\p{M}*)\u200C(?=${otherJoining})`,
]
// Except characters that change the direction of text, which are refused.
const invisible = raw`[\p{Default_Ignorable_Code_Point}--[\u202A-\u202E\u2066-\u2069]]`
const neededOrInvisible = new RegExp(`(${needed.join('|')})|${invisible}`, 'gv')

/**
 * Removes invisible characters, which make different names look alike: zero-width spaces and joiners, soft hyphens, fillers,
 * direction marks. They stay where scripts and emoji need them.
 */
export const withoutInvisible = (text: string): string => text.replace(neededOrInvisible, '$1')

/** Text in which links and contact details are searched: in compatibility form, without any invisible character. */
export const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .replaceAll('。', '.')
