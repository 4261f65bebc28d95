import type { Neighbour } from 'convene-client'
import { usePresence } from 'convene-client/react'
import { memo } from 'react'
import { Link } from 'wouter'
import { distanceOf } from '../../shared/dates.ts'
import { Avatar } from '../../shared/ui/avatar.tsx'
import { useLanguage } from '../language.tsx'
import { type Likes, tagsOf } from './common.ts'
import styles from './nearby.module.css'
import { tagText } from './suggestions.ts'

const shownTags = 6

/** One person nearby: photo, name, tags with the common ones first, and distance. */
export const PersonRow = memo(function PersonRow({ neighbour, likes }: { neighbour: Neighbour; likes: Likes | null }) {
  return (
    <li className={styles.row}>
      <PersonLink neighbour={neighbour} likes={likes} />
    </li>
  )
})

export function PersonLink({ neighbour, likes }: { neighbour: Neighbour; likes: Likes | null }) {
  const { t, language } = useLanguage()
  const { user, distance_m } = neighbour
  const { online } = usePresence(user.id)
  const name = user.name ?? t('people.nameless')
  return (
    <Link href={`/people/${user.id}`}>
      <Avatar name={name} photo={user.photo_thumb} size={56} online={online} />
      <span className={styles.text}>
        <span className={styles.name} dir="auto">
          {name}
          {user.age !== null && `, ${user.age}`}
          {online && <span className="unseen">, {t('people.online')}</span>}
        </span>
        <span className={styles.tags}>
          {tagsOf(user, likes)
            .slice(0, shownTags)
            .map(({ kind, tag, isCommon }) => (
              <span key={`${kind} ${tag}`} className={`${styles.tag} ${isCommon ? styles.common : ''}`}>
                {isCommon && <span className="unseen">{t('people.inCommon')}: </span>}
                {tagText(tag, language)}
              </span>
            ))}
        </span>
      </span>
      <span className={styles.distance}>{distanceOf(language, distance_m)}</span>
    </Link>
  )
}
