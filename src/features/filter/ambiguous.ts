/**
 * Words of the package's lists that the start set leaves out, because they are also harmless words, of the same or another
 * language, or names. A rule does not know in which language somebody writes.
 */
export const ambiguousWords: Record<string, readonly string[]> = {
  // "xx" is how people end letters; the others may occur in a community's own rules of conduct.
  en: ['s&m', 'xx', 'nudity', 'sexual', 'sexuality'],
  es: ['Trio'],
  fi: ['molo', 'muna', 'pano', 'piru'],
  fil: ['bobo'],
  // "with" in Spanish and Italian, and English "bite".
  fr: ['bite', 'con'],
  hi: ['aand', 'lund', 'maal'],
  hu: ['búr', 'kúr', 'pele', 'pina'],
  it: ['biga', 'fava', 'mona'],
  ja: ['s ＆ m', 'sm', 'グロ', '挿入'],
  // "not" in German, "of the" in Spanish and Italian; jars, caps, paws and poles.
  nl: ['del', 'gat', 'hol', 'muts', 'nicht', 'paal', 'poot', 'pot'],
  no: ['fan'],
  pt: ['cu', 'mama', 'pau', 'saco'],
  ru: ['byk', 'gol'],
  // English "hard" and "fan", once folded, and sauce.
  sv: ['fan', 'hård', 'olla', 'sås'],
  // English "am" and "got", once folded.
  tr: ['am', 'göt', 'siki'],
  zh: ['13.'],
}
