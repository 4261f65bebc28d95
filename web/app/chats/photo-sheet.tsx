import 'react-image-crop/dist/ReactCrop.css'
import { useEffect, useRef, useState } from 'react'
import ReactCrop, { type PercentCrop } from 'react-image-crop'
import { isComposing } from '../../shared/composing.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useLanguage } from '../language.tsx'
import { excessText } from '../requests.ts'
import styles from './chat.module.css'
import { useObjectUrl } from './message-photo.tsx'
import { cutPhoto, pixelsOf, preparePhoto } from './prepare-photo.ts'

type Props = { file: File; onClose: () => void; onSend: (photo: Blob, caption: string) => void }
type Ready = { photo: Blob; width: number; height: number }

/** A preview of the photo before it is sent, with crop and caption. */
export default function PhotoSheet({ file, onClose, onSend }: Props) {
  const { t } = useLanguage()
  const [ready, setReady] = useState<Ready | 'preparing' | 'unread'>('preparing')
  const [crop, setCrop] = useState<PercentCrop>()
  const [caption, setCaption] = useState('')
  const [busy, setBusy] = useState(false)
  const excess = excessText(t, caption, 4000)
  const isSent = useRef(false)
  const preview = useObjectUrl(typeof ready === 'object' ? ready.photo : undefined)

  useEffect(() => {
    let isOver = false
    void preparePhoto(file).then((made) => {
      if (!isOver) setReady(made ?? 'unread')
    })
    return () => {
      isOver = true
    }
  }, [file])

  async function send() {
    // A second Enter may come before the state says that the first one sends.
    if (ready === 'preparing' || excess !== null || isSent.current) return
    isSent.current = true
    // The server may be able to read a photo that the browser cannot; otherwise the message shows why it was refused.
    if (typeof ready !== 'object') return onSend(file, caption.trim())
    setBusy(true)
    const part = crop && crop.width > 2 && crop.height > 2 ? crop : null
    const cut = part && (await cutPhoto(ready.photo, pixelsOf(part, ready)))
    onSend(cut ?? ready.photo, caption.trim())
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
        {ready === 'unread' && <p>{t('chats.unreadPhoto')}</p>}
        {typeof ready === 'object' && preview && (
          <>
            <ReactCrop crop={crop} onChange={(_, percent) => setCrop(percent)} ruleOfThirds>
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
        <Button look="primary" wide busy={busy || ready === 'preparing'} onClick={() => void send()}>
          {t('chats.send')}
        </Button>
      </div>
    </Sheet>
  )
}
