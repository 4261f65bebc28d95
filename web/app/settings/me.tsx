import type { Profile } from 'convene-client'
import { useConvene, useSession } from 'convene-client/react'
import { Eye, EyeOff, Pencil, Settings as Cog, SlidersHorizontal, Star } from 'lucide-react'
import { lazy, useEffect } from 'react'
import { Link, useParams } from 'wouter'
import { useLanguage } from '../language.tsx'
import { NotFound } from '../not-found.tsx'
import { tagsOf } from '../people/common.ts'
import { tagText } from '../people/suggestions.ts'
import tagStyles from '../people/nearby.module.css'
import { useNearbyStore } from '../people/nearby-store.ts'
import personStyles from '../people/person.module.css'
import { PersonPhoto } from '../people/person-photo.tsx'
import { Reviews } from '../people/reviews.tsx'
import { Screen } from '../people/screen.tsx'
import { useShown } from '../people/shown.ts'
import { useResource } from '../requests.ts'
import { Loaded } from './loaded.tsx'
import styles from './me.module.css'

const EditProfile = lazy(() => import('./edit-profile.tsx'))
const EditPreferences = lazy(() => import('./edit-preferences.tsx'))

export default function Me() {
  const { t } = useLanguage()
  const { part } = useParams<{ part?: string }>()
  if (part === 'edit') return <EditProfile />
  if (part === 'preferences') return <EditPreferences />
  if (part !== undefined) return <NotFound href="/me" label={t('places.me')} />
  return <Overview />
}

/** The user's profile as others see it, with links to edit it. */
function Overview() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const id = useSession(({ user }) => user?.id ?? '')
  const profile = useResource(() => api.GET('/api/v1/users/{id}', { params: { path: { id } } }))
  return (
    <Screen
      title={t('places.me')}
      actions={
        <Link href="/settings" className={styles.cog} aria-label={t('settings.title')} title={t('settings.title')}>
          <Cog size={22} aria-hidden />
        </Link>
      }
    >
      <Loaded of={profile}>{(user) => <MyProfile user={user} />}</Loaded>
    </Screen>
  )
}

function MyProfile({ user }: { user: Profile }) {
  const { t, language } = useLanguage()
  const name = user.name ?? ''
  const tags = tagsOf(user, null)
  return (
    <article className={personStyles.person}>
      <PersonPhoto name={name} photo={user.photo} thumb={user.photo_thumb} />
      <div>
        <p className={styles.name}>
          <bdi>{name}</bdi>
        </p>
        <div className={personStyles.facts}>
          {user.city && <p>{user.city}</p>}
          {user.gender && <p>{t(`settings.profile.${user.gender}`)}</p>}
          {user.rating_avg !== null && (
            <p>
              <Star size={16} aria-hidden />{' '}
              {t('people.rating', { rating: user.rating_avg, count: user.reviews_count })}
            </p>
          )}
        </div>
      </div>
      <div className={styles.actions}>
        <Link href="/me/edit" className={styles.action}>
          <Pencil size={20} aria-hidden />
          {t('settings.profile.edit')}
        </Link>
        <Link href="/me/preferences" className={styles.action}>
          <SlidersHorizontal size={20} aria-hidden />
          {t('settings.preferences.title')}
        </Link>
      </div>
      {user.bio ? (
        <p className={personStyles.bio} dir="auto">
          {user.bio}
        </p>
      ) : (
        <p className={personStyles.quiet}>{t('settings.profile.noBio')}</p>
      )}
      {tags.length > 0 ? (
        <ul className={personStyles.tags}>
          {tags.map(({ kind, tag }) => (
            <li key={`${kind} ${tag}`} className={tagStyles.tag}>
              {tagText(tag, language)}
            </li>
          ))}
        </ul>
      ) : (
        <p className={personStyles.quiet}>{t('settings.preferences.none')}</p>
      )}
      <Seen />
      <Reviews userId={user.id} />
    </article>
  )
}

/** Whether others can find the user nearby. */
function Seen() {
  const { t } = useLanguage()
  const store = useNearbyStore()
  const shown = useShown()
  useEffect(() => {
    void store.readPlace()
  }, [store])
  if (shown === 'unknown') return null
  const isFound = shown === 'shown'
  return (
    <p className={styles.seen} role="status">
      {isFound ? <Eye size={20} aria-hidden /> : <EyeOff size={20} aria-hidden />}
      {isFound || shown === 'hiding'
        ? t(isFound ? 'settings.profile.visible' : 'settings.profile.hidden')
        : t(`people.shown.${shown}`)}
    </p>
  )
}
