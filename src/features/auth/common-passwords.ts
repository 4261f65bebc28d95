type List = { test(password: string): boolean }
let list: List | undefined

/**
 * Whether a password is among the 50,000 most common ones of 8 characters and more, which attackers try first. Ignores
 * the case and the width of letters (`ＰＡＳＳＷＯＲＤ`).
 *
 * The list is Mozilla's, from leaked passwords, and part of the program: no network request is made.
 */
export function isCommon(password: string): boolean {
  // Loaded at its first use: unpacking it takes some 20 ms and 20 MB, which a start can do without.
  const known: List = (list ??= require('fxa-common-password-list'))
  return known.test(password.normalize('NFKC').toLowerCase())
}
