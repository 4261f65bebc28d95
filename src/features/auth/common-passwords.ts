type List = { test(password: string): boolean }
let list: List | undefined

/**
 * Whether a password is among the 50,000 most common ones of 8 characters and more, which are the first that anybody
 * tries. Case does not count, nor does the width of letters (`ＰＡＳＳＷＯＲＤ`).
 *
 * The list is Mozilla's, from leaked passwords, and part of the program: nothing is asked of the network.
 */
export function isCommon(password: string): boolean {
  // Required at its first use, as unpacking it takes some 20 ms and 20 MB that a start has no need of.
  const known: List = (list ??= require('fxa-common-password-list'))
  return known.test(password.normalize('NFKC').toLowerCase())
}
