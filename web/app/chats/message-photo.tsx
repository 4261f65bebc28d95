import type { ChatMessage } from 'convene-client'
import { useEffect, useState } from 'react'
import { useLanguage } from '../language.tsx'
import styles from './chat.module.css'
import { sizeOf } from './photo-size.ts'
import { shownSize } from './rows.ts'

type Props = { message: ChatMessage; name: string; onOpen: () => void }

/** The photo of a message. Its space has the photo's aspect ratio before the photo loads. */
export function MessagePhoto({ message: { photo, file }, name, onOpen }: Props) {
  const { t } = useLanguage()
  const local = useObjectUrl(file instanceof Blob ? file : undefined)
  const known = photo ?? (file instanceof Blob ? sizeOf(file) : null)
  const size = shownSize(known?.width ?? 240, known?.height ?? 240)
  const alt = t('chats.photoOf', { name })
  if (!photo)
    return (
      <span className={styles.photo} style={{ width: size.width, aspectRatio: `${size.width} / ${size.height}` }}>
        {local && <img src={local} alt={alt} />}
      </span>
    )
  const { url, thumb_url, placeholder, width, height } = photo
  const thumbWidth = Math.round(width * Math.min(1, 320 / Math.max(width, height)))
  return (
    <button
      type="button"
      className={styles.photo}
      style={{
        width: size.width,
        aspectRatio: `${size.width} / ${size.height}`,
        backgroundImage: `url("${placeholder}")`,
      }}
      onClick={onOpen}
    >
      <img
        src={thumb_url}
        srcSet={thumbWidth < width ? `${thumb_url} ${thumbWidth}w, ${url} ${width}w` : undefined}
        sizes={`${size.width}px`}
        alt={t('chats.openPhoto', { name })}
        loading="lazy"
        decoding="async"
      />
    </button>
  )
}

export function useObjectUrl(file: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}
