import styles from './avatar.module.css'

type Props = {
  name: string
  photo: string | null
  size: number
  /** Shows that the person is online. */
  online?: boolean
}

/** A face, or the first letter of a name. The place is kept while the photo loads. */
export function Avatar({ name, photo, size, online = false }: Props) {
  return (
    <span className={styles.avatar} style={{ width: size, height: size, fontSize: size * 0.42 }} aria-hidden>
      {photo === null ? (
        <span className={styles.letter}>{[...name.trim()][0]?.toLocaleUpperCase() ?? '?'}</span>
      ) : (
        <img src={photo} alt="" width={size} height={size} loading="lazy" decoding="async" />
      )}
      {online && <span className={styles.online} />}
    </span>
  )
}
