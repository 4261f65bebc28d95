/** The addresses and the password that `convene seed` gives to its accounts. Both are public. */
export const demoPassword = 'convene demo password'
export const demoEmail = (number: number) => `user${number}@example.org`
/** All of those addresses, as a pattern of LIKE. */
export const demoEmails = 'user%@example.org'
