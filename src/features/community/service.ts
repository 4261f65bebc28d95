import type { Ids } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Files } from '../media/files.ts'
import type { CommunityStore } from './store.ts'

export type Community = ReturnType<typeof communityService>

/** What belongs to one community, and does harm if another uses it. */
export type OwnedAsset = 'location_key' | 'jwt_secret' | 'photos'

/** Null for a missing secret. */
type Secrets = { jwt: Uint8Array | null; location: Uint8Array | null }

type Deps = { store: CommunityStore; secrets: Secrets; files: Files; ids: Ids }

/** Identifies a secret without revealing it. The same secret has another fingerprint in another community. */
const fingerprint = (secret: Uint8Array, name: OwnedAsset, communityId: string) =>
  new Bun.CryptoHasher('sha256', secret).update(`convene fingerprint v1 ${name} ${communityId}`).digest('hex')

const namesOf = ({ jwt, location }: Secrets) => [['location_key', location] as const, ['jwt_secret', jwt] as const]

/** Which of the secrets differ from those that the community remembers. */
export const foreignSecrets = (remembered: Map<string, string>, secrets: Secrets): OwnedAsset[] =>
  namesOf(secrets).flatMap(([name, secret]) => {
    const known = remembered.get(name)
    const id = remembered.get('id')
    const isSame = () => secret !== null && id !== undefined && fingerprint(secret, name, id) === known
    return known === undefined || isSame() ? [] : [name]
  })

/** Recognises the secrets and photos of the community whose database this is. The first start remembers them. */
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
     * Returns what belongs to another community. If nothing does, everything is remembered as this community's. If the photo
     * storage does not answer and `photosAway` is given, that is called and the photos are left out: call `claimPhotos` later.
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
        // If several nodes start first with different secrets, the community remembers all those of one node.
        if ((await store.keep(name, known)) !== known) return [name]
      }
      return []
    },

    /** Remembers this asset as the community's. */
    async adopt(asset: OwnedAsset): Promise<void> {
      const id = await idOf()
      if (asset === 'photos') return files.remote?.mark(id)
      const secret = asset === 'jwt_secret' ? secrets.jwt : secrets.location
      if (secret !== null) await store.set(asset, fingerprint(secret, asset, id))
    },

    /** Whether the photos are this community's. Claims them if they belong to nobody. */
    claimPhotos,

    /** When any node last began to list all photos in the bucket, in milliseconds. */
    photosListedAt: async () => Number((await store.all()).get('photos_listed_at') ?? 0),
    notePhotosListed: (at: number) => store.set('photos_listed_at', String(at)),
  }
}
