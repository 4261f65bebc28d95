import 'react-image-crop/dist/ReactCrop.css'
import { useEffect, useRef, useState } from 'react'
import ReactCrop, { type PercentCrop } from 'react-image-crop'
import { isComposing } from '../../shared/composing.ts'
import { trimmed } from '../../shared/text-length.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useLanguage } from '../language.tsx'
import { excessText } from '../requests.ts'
import styles from './chat.module.css'
import { cropLabels } from './crop-labels.ts'
import { useObjectUrl } from './message-photo.tsx'
import { copyOf, cutPhoto, pixelsOf, preparePhoto } from './prepare-photo.ts'

type Props = { file: File; onClose: () => void; onSend: (photo: Blob, caption: string) => void }
type Ready = { photo: Blob; width: number; height: number }

/** A preview of the photo before it is sent, with crop and caption. */
export default function PhotoSheet({ file, onClose, onSend }: Props) {
  const { t } = useLanguage()
  // A blob is a photo that this browser cannot show.
  const [ready, setReady] = useState<Ready | Blob | 'preparing' | 'unreadable'>('preparing')
  const [crop, setCrop] = useState<PercentCrop>()
  const [caption, setCaption] = useState('')
  const [busy, setBusy] = useState(false)
  const [isUncut, setUncut] = useState(false)
  const excess = excessText(t, caption, 4000)
  const isSent = useRef(false)
  const shown = typeof ready === 'object' && !(ready instanceof Blob) ? ready : null
  const preview = useObjectUrl(shown?.photo)

  const isClosed = useRef(false)
  useEffect(() => {
    isClosed.current = false
    return () => {
      isClosed.current = true
    }
  }, [])

  useEffect(() => {
    let isOver = false
    void preparePhoto(file).then(async (made) => {
      const prepared = made ?? (await copyOf(file)) ?? 'unreadable'
      if (!isOver) setReady(prepared)
    })
    return () => {
      isOver = true
    }
  }, [file])

  async function send() {
    // A second Enter may come before the state says that the first one sends.
    if (typeof ready === 'string' || excess !== null || isSent.current) return
    isSent.current = true
    // The server may be able to read a photo that the browser cannot; otherwise the message shows why it was refused.
    if (ready instanceof Blob) return onSend(ready, trimmed(caption))
    setBusy(true)
    setUncut(false)
    const part = crop && crop.width > 2 && crop.height > 2 ? crop : null
    const photo = part ? await cutPhoto(ready.photo, pixelsOf(part, ready)) : ready.photo
    if (isClosed.current) return
    if (photo) return onSend(photo, trimmed(caption))
    // The whole photo would show what the user has cut away.
    isSent.current = false
    setBusy(false)
    setUncut(true)
  }

  return (
    <Sheet title={t('chats.sendPhoto')} closeLabel={t('app.close')} onClose={onClose}>
      {/* A nested form would be invalid, so Enter is handled here. */}
      <div
        className={styles.form}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement && !isComposing(event.nativeEvent)) {
            event.preventDefault()
            void send()
          }
        }}
      >
        {ready === 'preparing' && <p role="status">{t('chats.preparing')}</p>}
        {ready === 'unreadable' && <p role="alert">{t('app.failure.photoUnreadable')}</p>}
        {ready instanceof Blob && <p>{t('chats.unreadPhoto')}</p>}
        {shown && preview && (
          <>
            <ReactCrop
              className={styles.cropped}
              crop={crop}
              ariaLabels={cropLabels(t)}
              onChange={(_, percent) => setCrop(percent)}
              ruleOfThirds
            >
              <img src={preview} alt={t('chats.kind.photo')} className={styles.preview} />
            </ReactCrop>
            <p>{t('chats.cropHint')}</p>
          </>
        )}
        <Field
          label={t('chats.caption')}
          error={excess}
          value={caption}
          onChange={(event) => setCaption(event.target.value)}
        />
        {isUncut && <p role="alert">{t('app.failure.photoUncut')}</p>}
        <Button
          look="primary"
          wide
          busy={busy || ready === 'preparing'}
          disabled={ready === 'unreadable'}
          onClick={() => void send()}
        >
          {t('chats.send')}
        </Button>
      </div>
    </Sheet>
  )
}
