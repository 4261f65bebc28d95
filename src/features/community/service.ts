import type { Ids } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Files } from '../media/files.ts'
import type { CommunityStore } from './store.ts'

export type Community = ReturnType<typeof communityService>

/** What belongs to one community, and does harm in the hands of another. */
export type OwnedAsset = 'location_key' | 'jwt_secret' | 'photos'

/** The secrets that somebody has; null for one that is not there. */
type Secrets = { jwt: Uint8Array | null; location: Uint8Array | null }

type Deps = { store: CommunityStore; secrets: Secrets; files: Files; ids: Ids }

/** What is kept of a secret: enough to know it again, and nothing to make it of. The same secret elsewhere has another. */
const fingerprint = (secret: Uint8Array, name: OwnedAsset, communityId: string) =>
  new Bun.CryptoHasher('sha256', secret).update(`convene fingerprint v1 ${name} ${communityId}`).digest('hex')

const namesOf = ({ jwt, location }: Secrets) => [['location_key', location] as const, ['jwt_secret', jwt] as const]

/** Which of the secrets are not those that a community remembers. */
export const foreignSecrets = (remembered: Map<string, string>, secrets: Secrets): OwnedAsset[] =>
  namesOf(secrets).flatMap(([name, secret]) => {
    const known = remembered.get(name)
    const id = remembered.get('id')
    const isSame = () => secret !== null && id !== undefined && fingerprint(secret, name, id) === known
    return known === undefined || isSame() ? [] : [name]
  })

/** Knows what belongs to the community whose database this is: it remembers that from the first start on. */
export function communityService({ store, secrets, files, ids }: Deps) {
  const idOf = () => store.keep('id', ids.random())

  async function claimPhotos(): Promise<boolean> {
    const { remote } = files
    if (!remote) return true
    const id = await idOf()
    if ((await remote.owner()) === null) await remote.mark(id)
    return (await remote.owner()) === id
  }

  return {
    /**
     * Returns what is another community's. Where nothing is, it is remembered as this one's from now on. Where the place of
     * the photos does not answer, and somebody is to be told, it is left out: `claimPhotos` has to be asked again.
     */
    async foreignAssets(photosAway?: (error: Refusal) => void): Promise<OwnedAsset[]> {
      const id = await idOf()
      const foreign = foreignSecrets(await store.all(), secrets)
      const areOurs = await claimPhotos().catch((error) => {
        if (!photosAway || !(error instanceof Refusal) || error.code !== 'busy') throw error
        photosAway(error)
        return true
      })
      if (!areOurs) foreign.push('photos')
      if (foreign.length > 0) return foreign
      for (const [name, secret] of namesOf(secrets)) {
        if (secret === null) continue
        const known = fingerprint(secret, name, id)
        // Of nodes that are the first, with different secrets, those of one are remembered, and all of that one's.
        if ((await store.keep(name, known)) !== known) return [name]
      }
      return []
    },

    /** Makes this the community's from now on. */
    async adopt(asset: OwnedAsset): Promise<void> {
      const id = await idOf()
      if (asset === 'photos') return files.remote?.mark(id)
      const secret = asset === 'jwt_secret' ? secrets.jwt : secrets.location
      if (secret !== null) await store.set(asset, fingerprint(secret, asset, id))
    },

    /** Whether the photos are this community's, which they become where they are nobody's. */
    claimPhotos,

    /** When any node last began to list all photos that are kept elsewhere, in milliseconds. */
    photosListedAt: async () => Number((await store.all()).get('photos_listed_at') ?? 0),
    notePhotosListed: (at: number) => store.set('photos_listed_at', String(at)),
  }
}
