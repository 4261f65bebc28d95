import type { Logger } from 'pino'
import type { RedisAddress } from '../lib/redis-url.ts'
import type { Secrets } from '../installation/secrets.ts'
import { causeOf, connect, refusal } from './connect.ts'
import { openBudget } from './budget.ts'
import { openCounter } from './counter.ts'
import { openNodes, type Pace } from './nodes.ts'
import { openSignatures } from './signed.ts'

/** `isRedis`: by Redis, and not by threads of one server. */
export type Shared = Omit<Awaited<ReturnType<typeof openRedis>>, 'isRedis'> & { isRedis: boolean }

export const usualPace: Pace = { tendMs: 1000, aliveMs: 15_000 }

export type Deps = {
  secrets: Pick<Secrets, 'jwt'>
  log: Logger
  pace?: Pace
  /** Whether this node has served requests before, so that the others have missed its messages. */
  isLate?: boolean
}

const keyed = ({ jwt }: Pick<Secrets, 'jwt'>, purpose: string) =>
  new Bun.CryptoHasher('sha256', jwt).update(`convene redis ${purpose} v1`)

/** The prefix of every key and channel of a service. */
export const prefixOf = (secrets: Pick<Secrets, 'jwt'>) =>
  `convene:${keyed(secrets, 'prefix').digest('hex').slice(0, 16)}:`

/**
 * What the nodes of one service share besides storage: messages, presence and counters. None of it is permanent, and nothing
 * waits for it longer than a second.
 *
 * Several services may use one Redis: the prefix of keys and channels comes from the secret for tokens. Names, addresses and
 * places are stored only as keyed hashes.
 *
 * Throws ConfigError if Redis refuses the connection, and RedisAway if it does not answer.
 */
export async function openRedis(address: RedisAddress, { secrets, log, pace = usualPace, isLate = false }: Deps) {
  const prefix = prefixOf(secrets)
  const sealKey = keyed(secrets, 'seal').digest()
  const seal = (text: string) => new Bun.CryptoHasher('sha256', sealKey).update(text).digest('base64url').slice(0, 22)
  const signatures = openSignatures({ key: keyed(secrets, 'messages').digest(), log })
  const connected = await connect(address)
  const { commands } = connected
  try {
    // These define their scripts on the connection, before it is used.
    const counter = openCounter({ commands, prefix, seal })
    const budget = openBudget({ commands, prefix, seal })
    const { nodes, ...rest } = await openNodes({ ...connected, prefix, signatures, pace, isLate, log })
    return {
      nodes,
      counter,
      budget,
      isRedis: true,
      /** The prefix of every key and channel. */
      prefix,
      /** How many messages were dropped because no node of this service had signed them. */
      refused: signatures.refused,
      ...rest,
    }
  } catch (error) {
    commands.disconnect()
    throw refusal(address, causeOf(error))
  }
}
