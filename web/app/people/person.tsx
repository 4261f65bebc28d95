import type { Problem, Profile } from 'convene-client'
import { useConvene, usePresence, useSession } from 'convene-client/react'
import { Ban, Flag, MapPin, MessageCircle, Star, UserRoundX, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, Redirect, useLocation, useParams } from 'wouter'
import { Refused } from 'convene-client'
import { distanceOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { BlockSheet } from './block-sheet.tsx'
import { kinds, tagsOf } from './common.ts'
import { tagText } from './suggestions.ts'
import tagStyles from './nearby.module.css'
import { useNearbyState, useNearbyStore } from './nearby-store.ts'
import styles from './person.module.css'
import { PersonPhoto } from './person-photo.tsx'
import { problemText } from './problems.ts'
import { ReportSheet } from './report-sheet.tsx'
import { Reviews } from './reviews.tsx'
import { Screen } from './screen.tsx'
import { useSeenText } from './seen.ts'

/** Somebody's profile. */
export default function Person() {
  const { id = '' } = useParams()
  const me = useSession(({ user }) => user?.id)
  if (id === me) return <Redirect to="/me" replace />
  // The key resets all state for another person.
  return <PersonOf key={id} id={id} />
}

function PersonOf({ id }: { id: string }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const neighbour = useNearbyState(({ items }) => items.find(({ user }) => user.id === id) ?? null)
  const [user, setUser] = useState<Profile | null>(neighbour?.user ?? null)
  const [failed, setFailed] = useState<Problem | 'offline' | null>(null)
  const [attempt, setAttempt] = useState(0)

  useEffect(() => {
    let isOver = false
    setFailed(null)
    api.GET('/api/v1/users/{id}', { params: { path: { id } } }).then(
      ({ data, error }) => {
        if (isOver) return
        if (data) setUser(data)
        else {
          setFailed(error)
          if (error.code === 'not_found') setUser(null)
        }
      },
      () => isOver || setFailed('offline'),
    )
    return () => {
      isOver = true
    }
  }, [api, id, attempt])

  const isGone = failed !== null && failed !== 'offline' && failed.code === 'not_found'
  const title = user
    ? [user.name ?? t('people.nameless'), user.age].filter((part) => part !== null).join(', ')
    : t('people.person')
  return (
    <Screen title={title} back="/nearby">
      {user ? (
        <About user={user} distance={neighbour?.distance_m ?? null} />
      ) : failed ? (
        <State
          icon={isGone ? <UserRoundX size={32} /> : <WifiOff size={32} />}
          title={problemText(t, failed === 'offline' ? null : failed)}
          action={
            isGone ? (
              <Link href="/nearby">{t('places.nearby')}</Link>
            ) : (
              <Button onClick={() => setAttempt(attempt + 1)}>{t('app.retry')}</Button>
            )
          }
        />
      ) : (
        <SkeletonRows label={t('app.loading')} count={4} />
      )}
    </Screen>
  )
}

function About({ user, distance }: { user: Profile; distance: number | null }) {
  const { t, language } = useLanguage()
  const store = useNearbyStore()
  const likes = useNearbyState(({ likes }) => likes)
  const presence = usePresence(user.id)
  const [open, setOpen] = useState<'report' | 'block' | null>(null)
  const name = user.name ?? t('people.nameless')
  const seen = useSeenText(presence)
  useEffect(() => {
    if (store.get().likes === null) void store.readLikes()
  }, [store])
  const tags = tagsOf(user, likes)
  const common = tags.filter(({ isCommon }) => isCommon)
  return (
    <article className={styles.person}>
      <PersonPhoto name={name} photo={user.photo} thumb={user.photo_thumb} />
      <div className={styles.facts}>
        {seen && <p className={presence.online ? styles.online : undefined}>{seen}</p>}
        {distance !== null && (
          <p>
            <MapPin size={16} aria-hidden /> {t('people.away', { distance: distanceOf(language, distance) })}
          </p>
        )}
        {user.city && <p dir="auto">{user.city}</p>}
        {user.rating_avg !== null && (
          <p>
            <Star size={16} aria-hidden /> {t('people.rating', { rating: user.rating_avg, count: user.reviews_count })}
          </p>
        )}
      </div>
      <StartChat userId={user.id} />
      {user.bio && (
        <p className={styles.bio} dir="auto">
          {user.bio}
        </p>
      )}
      {common.length > 0 && (
        <section>
          <h2>{t('people.inCommon')}</h2>
          <ul className={styles.tags}>
            {common.map(({ kind, tag }) => (
              <li key={`${kind} ${tag}`} className={`${tagStyles.tag} ${tagStyles.common}`}>
                {tagText(tag, language)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {kinds.map((kind) => {
        const others = tags.filter((tag) => tag.kind === kind && !tag.isCommon)
        if (others.length === 0) return null
        return (
          <section key={kind}>
            <h2>{t(`people.${kind}`)}</h2>
            <ul className={styles.tags}>
              {others.map(({ tag }) => (
                <li key={tag} className={tagStyles.tag}>
                  {tagText(tag, language)}
                </li>
              ))}
            </ul>
          </section>
        )
      })}
      <Reviews userId={user.id} />
      <footer className={styles.safety}>
        <Button look="danger" icon={<Ban size={18} aria-hidden />} onClick={() => setOpen('block')}>
          {t('people.block')}
        </Button>
        <Button look="danger" icon={<Flag size={18} aria-hidden />} onClick={() => setOpen('report')}>
          {t('people.report')}
        </Button>
      </footer>
      {open === 'block' && <BlockSheet userId={user.id} name={name} onClose={() => setOpen(null)} />}
      {open === 'report' && (
        <ReportSheet about={{ user_id: user.id }} userId={user.id} name={name} onClose={() => setOpen(null)} />
      )}
    </article>
  )
}

/** Opens the chat with a person, and creates it if there is none. */
function StartChat({ userId }: { userId: string }) {
  const { t } = useLanguage()
  const client = useConvene()
  const [, go] = useLocation()
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<string | null>(null)
  async function start() {
    const { pathname } = location
    setBusy(true)
    setRefused(null)
    try {
      const { id } = await client.chats.start(userId)
      // Do not navigate if the user has left this screen meanwhile.
      if (location.pathname === pathname) go(`/chats/${id}`)
    } catch (error) {
      setRefused(problemText(t, error instanceof Refused ? error.problem : null))
      setBusy(false)
    }
  }
  return (
    <div className={styles.start}>
      <Button
        look="primary"
        wide
        busy={busy}
        icon={<MessageCircle size={20} aria-hidden />}
        onClick={() => void start()}
      >
        {t('people.write')}
      </Button>
      {refused && <p role="alert">{refused}</p>}
    </div>
  )
}
