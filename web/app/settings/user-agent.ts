const browsers: [RegExp, string][] = [
  [/Telegram/i, 'Telegram'],
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS/, 'Firefox'],
  [/Chrome\/|CriOS/, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** "Firefox · Linux" for the User-Agent header of a browser, the beginning of any other one, null without one. */
export function deviceOf(userAgent: string | null): string | null {
  if (userAgent === null) return null
  const found = [browsers, systems].map((known) => known.find(([pattern]) => pattern.test(userAgent))?.[1])
  const names = found.filter((name) => name !== undefined)
  return names.length === 0 ? userAgent.slice(0, 60) : names.join(' · ')
}
