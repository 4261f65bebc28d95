// What s3rver takes for granted of Node. To be imported before it.
import utils from '@20minutes/s3rver/lib/utils.js'
import crypto from 'node:crypto'

// A list goes on where it broke off only if it is in order, as Node reads directories and Bun does not.
const { walk } = utils
utils.walk = (directory, isWanted) => [...walk(directory, isWanted)].sort()

// Where it goes on is hidden in DES, which Bun does not have. Any cipher will do.
for (const name of ['createCipheriv', 'createDecipheriv'] as const) {
  const real = crypto[name] as (...args: unknown[]) => unknown
  const widened = (algorithm: string, key: Buffer, iv: Buffer, ...more: unknown[]) =>
    algorithm === 'des'
      ? real('aes-128-cbc', Buffer.alloc(16, key), Buffer.alloc(16, iv))
      : real(algorithm, key, iv, ...more)
  Object.assign(crypto, { [name]: widened })
}
