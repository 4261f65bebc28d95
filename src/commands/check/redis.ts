import { ConfigError } from '../../config.ts'
import type { RedisAddress } from '../../lib/redis-url.ts'
import { fine, type Finding, wrong } from './finding.ts'

export async function redis(address: RedisAddress): Promise<Finding> {
  const { connect, RedisAway, refusal } = await import('../../redis/connect.ts')
  try {
    const { commands } = await connect(address)
    try {
      // A Redis that is full or a replica answers, but takes no writes.
      await commands.set('convene:check', '1', 'PX', 1000)
    } catch (error) {
      throw refusal(address, error)
    } finally {
      commands.disconnect()
    }
    return fine(`Redis answers: ${address.host}:${address.port}`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return wrong(
      error.message,
      error instanceof RedisAway
        ? 'start Redis, or correct REDIS_URL: until then nodes learn of each other late, and each counts limits for itself'
        : 'correct REDIS_URL: the server does not start with it',
    )
  }
}
