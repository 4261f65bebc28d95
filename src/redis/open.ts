import type { Logger } from 'pino'
import type { RedisAddress } from '../config.ts'
import type { Secrets } from '../secrets.ts'
import { connect, refusal } from './connect.ts'
import { openCounter } from './counter.ts'
import { openNodes, type Pace } from './nodes.ts'
import { openPlaces } from './places.ts'

export type Shared = Awaited<ReturnType<typeof openRedis>>

const usualPace: Pace = { tendMs: 1000, aliveMs: 15_000 }

type Deps = { secrets: Pick<Secrets, 'jwt'>; log: Logger; pace?: Pace }

/**
 * What the nodes of one service share beside storage: what they tell each other, who is online, and what is counted. None
 * of it lasts, and nothing waits for it longer than a second.
 *
 * Several services may use one Redis: whose secret for tokens is another has other keys and channels. Names, addresses
 * and places go there only under a key.
 *
 * Throws ConfigError where Redis does not answer, or does not let us in.
 */
export async function openRedis(address: RedisAddress, { secrets, log, pace = usualPace }: Deps) {
  const keyed = (purpose: string) => new Bun.CryptoHasher('sha256', secrets.jwt).update(`convene redis ${purpose} v1`)
  const prefix = `convene:${keyed('prefix').digest('hex').slice(0, 16)}:`
  const sealKey = keyed('seal').digest()
  const seal = (text: string) => new Bun.CryptoHasher('sha256', sealKey).update(text).digest('base64url').slice(0, 22)
  const connected = await connect(address)
  const { commands } = connected
  try {
    const { nodes, ...rest } = await openNodes({ ...connected, prefix, pace, log })
    return {
      nodes,
      counter: openCounter({ commands, prefix, seal }),
      places: openPlaces({ commands, prefix, seal }),
      /** What every key and channel begins with. */
      prefix,
      ...rest,
    }
  } catch (error) {
    commands.disconnect()
    throw refusal(address, (error as { previousErrors?: Error[] }).previousErrors?.[0] ?? error)
  }
}
