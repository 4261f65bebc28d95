// The parts of Open Peeps that portraits are made of, by their names there. After a change: `bun scripts/portraits.ts`.

export const faces = ['calm', 'cheeky', 'cute', 'explaining', 'smile', 'smile', 'smileBig'] as const
export const glasses = ['glasses', 'glasses2', 'glasses3', 'glasses4', 'glasses5'] as const
export const beards = ['chin', 'full', 'full2', 'full3', 'goatee1', 'goatee2', 'moustache2', 'moustache4'] as const

/** Heads of anybody, of women, of men. */
export const anybodys = ['afro', 'cornrows2', 'dreads1', 'hatBeanie', 'medium1', 'short3', 'twists'] as const
export const hers = [
  ...(['bangs', 'bangs2', 'bun', 'bun2', 'buns', 'long', 'longBangs', 'longCurly', 'mediumBangs'] as const),
  ...(['mediumBangs2', 'mediumBangs3', 'mediumStraight', 'grayBun', 'grayMedium', 'hijab', 'longAfro'] as const),
  ...(['medium2', 'medium3'] as const),
]
export const his = [
  ...(['flatTop', 'hatHip', 'pomp', 'shaved1', 'shaved2', 'shaved3', 'short1', 'short2', 'short4'] as const),
  ...(['short5', 'grayShort', 'noHair2', 'noHair3', 'turban', 'twists2', 'dreads2'] as const),
]
