import 'react-image-crop/dist/ReactCrop.css'
import { useEffect, useState } from 'react'
import ReactCrop, { centerCrop, makeAspectCrop, type PercentCrop } from 'react-image-crop'
import { Button } from '../../shared/ui/button.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { FailureText } from '../account/failure.tsx'
import layout from '../account/layout.module.css'
import { cropLabels } from '../chats/crop-labels.ts'
import { useObjectUrl } from '../chats/message-photo.tsx'
import { cutPhoto, pixelsOf, preparePhoto } from '../chats/prepare-photo.ts'
import { useLanguage } from '../language.tsx'
import type { Failure } from '../requests.ts'
import styles from './me.module.css'

type Props = {
  file: File
  busy: boolean
  failure: Failure | null
  onClose: () => void
  onReady: (photo: Blob) => void
}
type Ready = { photo: Blob; width: number; height: number }

/** Lets the user choose the square part of a photo that others see. */
export default function PhotoCrop({ file, busy, failure, onClose, onReady }: Props) {
  const { t } = useLanguage()
  const [ready, setReady] = useState<Ready | 'preparing' | 'unread'>('preparing')
  const [crop, setCrop] = useState<PercentCrop>()
  const [isCutting, setIsCutting] = useState(false)
  const [isUncut, setUncut] = useState(false)
  const preview = useObjectUrl(typeof ready === 'object' ? ready.photo : undefined)

  useEffect(() => {
    let isOver = false
    void preparePhoto(file).then((made) => {
      if (isOver) return
      setReady(made ?? 'unread')
      if (!made) return
      const { width, height } = made
      setCrop(
        centerCrop(
          makeAspectCrop({ unit: '%', width: width > height ? (height / width) * 100 : 100 }, 1, width, height),
          width,
          height,
        ),
      )
    })
    return () => {
      isOver = true
    }
  }, [file])

  async function use() {
    if (typeof ready !== 'object' || !crop) return
    setIsCutting(true)
    const photo = await cutPhoto(ready.photo, pixelsOf(crop, ready))
    setIsCutting(false)
    // The whole photo would show what the user has cut away.
    setUncut(photo === null)
    if (photo) onReady(photo)
  }

  return (
    <Sheet title={t('settings.photo.crop')} closeLabel={t('app.close')} onClose={onClose}>
      {ready === 'preparing' && <SkeletonRows label={t('app.loading')} count={2} />}
      {ready === 'unread' && <State title={t('settings.photo.unread')} />}
      {typeof ready === 'object' && preview && (
        <div className={styles.crop}>
          <ReactCrop
            crop={crop}
            ariaLabels={cropLabels(t)}
            aspect={1}
            circularCrop
            keepSelection
            minWidth={48}
            onChange={(_, percent) => setCrop(percent)}
          >
            <img src={preview} alt={t('settings.photo.preview')} width={ready.width} height={ready.height} />
          </ReactCrop>
          <p>{t('settings.photo.hint')}</p>
        </div>
      )}
      {isUncut ? (
        <p className={layout.error} role="alert">
          {t('app.failure.photoUncut')}
        </p>
      ) : (
        <FailureText failure={failure} />
      )}
      <Button
        look="primary"
        wide
        busy={busy || isCutting}
        disabled={typeof ready !== 'object'}
        onClick={() => void use()}
      >
        {t('settings.photo.use')}
      </Button>
    </Sheet>
  )
}
