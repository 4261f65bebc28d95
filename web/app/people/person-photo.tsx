import { Avatar } from '../../shared/ui/avatar.tsx'
import styles from './person.module.css'

/** The photo in a space of fixed size, over its thumbnail, which the list has already loaded. */
export function PersonPhoto({ name, photo, thumb }: { name: string; photo: string | null; thumb: string | null }) {
  if (photo === null)
    return (
      <div className={styles.noPhoto}>
        <Avatar name={name} photo={null} size={112} />
      </div>
    )
  return (
    <div className={styles.photo} style={thumb === null ? undefined : { backgroundImage: `url("${thumb}")` }}>
      <img src={photo} alt={name} decoding="async" />
    </div>
  )
}
