import type { Me } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Camera, Trash2 } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { Avatar } from '../../shared/ui/avatar.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { leaveFocus } from '../../shared/ui/focus.ts'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { outcomeOf, useAction } from '../requests.ts'
import styles from './me.module.css'

const PhotoCrop = lazy(() => import('./photo-crop.tsx'))

/** The photo of the profile. A new one is cropped to a square and shown to others at once. */
export function PhotoField({ user }: { user: Me }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File | null>(null)
  const chosen = useRef<File | null>(null)
  const upload = useAction(async (photo: Blob, of: File) => {
    // Whoever closes the sheet does not want the photo any more.
    if (chosen.current !== of) return null
    const form = new FormData()
    form.append('file', photo, 'photo.jpg')
    // The types describe the fields of the form; the body is the form itself.
    const body = form as unknown as { file: string }
    const image = await outcomeOf(api.POST('/api/v1/media', { body }))
    if (chosen.current !== of) return null
    if (image.failure) return image.failure
    const { failure } = await outcomeOf(api.PUT('/api/v1/me', { body: { photo: image.data.id } }))
    if (!failure) choose(null)
    return failure
  })
  function choose(file: File | null) {
    chosen.current = file
    setFile(file)
    // The last failure was about another photo.
    upload.setFailure(null)
  }
  const remove = useAction(async () => (await outcomeOf(api.PUT('/api/v1/me', { body: { photo: null } }))).failure)

  return (
    <div className={styles.photoField}>
      <span className={styles.photo}>
        {user.photo === null ? (
          <Avatar name={user.name ?? ''} photo={null} size={112} />
        ) : (
          <img src={user.photo} alt={t('settings.photo.yours')} width={112} height={112} />
        )}
      </span>
      <div>
        <input
          ref={input}
          type="file"
          accept="image/*,.heic,.heif"
          hidden
          aria-label={t('settings.photo.choose')}
          onChange={(event) => {
            choose(event.target.files?.[0] ?? null)
            // Reset the input, so that the same file can be chosen again.
            event.target.value = ''
          }}
        />
        <Button icon={<Camera size={20} aria-hidden />} onClick={() => input.current?.click()}>
          {t(user.photo === null ? 'settings.photo.add' : 'settings.photo.change')}
        </Button>
        {user.photo !== null && (
          <Button
            ref={leaveFocus}
            look="quiet"
            busy={remove.busy}
            icon={<Trash2 size={20} aria-hidden />}
            onClick={() => remove.run()}
          >
            {t('settings.remove')}
          </Button>
        )}
        <FailureText failure={remove.failure} />
      </div>
      {file && (
        <Suspense>
          <PhotoCrop
            file={file}
            busy={upload.busy}
            failure={upload.failure}
            onClose={() => choose(null)}
            onReady={(photo) => void upload.run(photo, file)}
          />
        </Suspense>
      )}
    </div>
  )
}
