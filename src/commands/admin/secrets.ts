import type { Config } from '../../config.ts'
import { foreignSecrets } from '../../features/community/service.ts'
import { ownershipProblem } from '../../installation/ownership.ts'
import { missingSecrets, readSecrets, type Secrets, secretsAtHand } from '../../installation/secrets.ts'
import type { Storage } from '../../storage/storage.ts'

/**
 * The secrets of the servers beside which a command runs. Throws if they are missing, or those of another community: what is
 * signed with them would be worth nothing to the servers.
 */
export async function secretsBeside(config: Config, { community }: Pick<Storage, 'community'>): Promise<Secrets> {
  const atHand = missingSecrets(config).length > 0 ? secretsAtHand(config) : readSecrets(config)
  const [foreign] = foreignSecrets(await community.all(), atHand)
  if (foreign === undefined) return readSecrets(config)
  const { text, fix } = ownershipProblem(foreign, config)
  throw new Error(`${text}: ${fix}`)
}
