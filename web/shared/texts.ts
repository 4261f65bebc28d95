/**
 * Texts in the languages of the interface. A text is a string with placeholders such as `{name}`, or one form for each plural
 * category of its language (`Intl.PluralRules`), chosen by `{count}`.
 */
type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }
export type Text = string | Plural
export type Texts = Record<string, Text>

/** Every language has all texts of the base language. */
export type Translation<Base extends Texts> = Record<keyof Base, Text>

export type Values = Record<string, string | number>

export type Translate<Base extends Texts> = (key: keyof Base & string, values?: Values) => string

/** Returns a function that gives the text of a key with its values filled in. Numbers are formatted for the language. */
export function translator<Base extends Texts>(language: string, texts: Translation<Base>): Translate<Base> {
  // Creating these is slow, and the first screen needs neither.
  let rules: Intl.PluralRules | undefined
  let numbers: Intl.NumberFormat | undefined
  return (key, values = {}) => {
    const text = texts[key]
    const form =
      typeof text === 'string'
        ? text
        : (text[(rules ??= new Intl.PluralRules(language)).select(Number(values.count))] ?? text.other)
    return form.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name]
      return typeof value === 'number' ? (numbers ??= new Intl.NumberFormat(language)).format(value) : (value ?? '')
    })
  }
}

/** The first language of `wanted` that is available, or else `fallback`. */
export function chooseLanguage<Language extends string>(
  wanted: readonly string[],
  available: readonly Language[],
  fallback: Language,
): Language {
  for (const tag of wanted) {
    const found = available.find((language) => tag.toLowerCase().split('-')[0] === language)
    if (found !== undefined) return found
  }
  return fallback
}

/** The name of a language in the language itself. */
export function nameOfLanguage(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}
