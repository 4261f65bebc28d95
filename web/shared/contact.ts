/** Parses a login name: an e-mail address, or a phone number with its country code. */
export function contactOf(text: string): { email: string } | { phone: string } {
  const given = text.trim()
  if (given.includes('@')) return { email: given }
  const digits = given.replace(/[\s().-]/g, '').replace(/^00/, '+')
  return /^\+?\d+$/.test(digits) ? { phone: digits } : { email: given }
}
