import { ConfigError } from '../../config.ts'
import type { RedisAddress } from '../../lib/redis-url.ts'
import { fine, type Finding, wrong } from './finding.ts'

export async function redis(address: RedisAddress): Promise<Finding> {
  try {
    const { commands } = await (await import('../../redis/connect.ts')).connect(address)
    commands.disconnect()
    return fine(`Redis answers: ${address.host}:${address.port}`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return wrong(error.message, 'set REDIS_URL right, or start Redis: the server does not start without it')
  }
}
