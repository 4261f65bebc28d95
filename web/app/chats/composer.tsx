import type { ChatMessage } from 'convene-client'
import { useChat, useSession } from 'convene-client/react'
import { Camera, Image as ImageIcon, SendHorizontal, X } from 'lucide-react'
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { isComposing } from '../../shared/composing.ts'
import { trimmed } from '../../shared/text-length.ts'
import { IconButton } from '../../shared/ui/button.tsx'
import { useLanguage } from '../language.tsx'
import { excessText } from '../requests.ts'
import { useTelegram } from '../telegram/telegram.tsx'
import styles from './chat.module.css'
import { draftKey, drafts, edits } from './drafts.ts'

const PhotoSheet = lazy(() => import('./photo-sheet.tsx'))

type Props = { chatId: string; name: string; editing: ChatMessage | null; takesFocus: boolean; onDone: () => void }

const longest = 4000
// With a hardware keyboard, Enter sends; on a touch screen, it begins a new line.
const hasKeyboard = () => matchMedia('(hover: hover) and (pointer: fine)').matches

/** The form to write a message, or to edit one's own. */
export function Composer({ chatId, name, editing, takesFocus, onDone }: Props) {
  const { t } = useLanguage()
  const chat = useChat(chatId)
  const draft = draftKey(
    useSession(({ user }) => user?.id),
    chatId,
  )
  const edit = edits.get(draft)
  const sdk = useTelegram()?.sdk
  const input = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(
    (edit && edit.message.id === editing?.id ? edit.text : editing?.text) ?? drafts.get(draft) ?? '',
  )
  const [file, setFile] = useState<File | null>(null)
  const content = trimmed(text)
  const excess = excessText(t, text, longest)
  // A text message must not be empty, but a caption may be.
  const isCaption = editing !== null && editing.kind !== 'text'
  const canSend = excess === null && (content !== '' || isCaption)

  useEffect(() => {
    if (!takesFocus) return
    input.current?.focus()
    input.current?.setSelectionRange(text.length, text.length)
  }, [])

  // Grows the box with its text in browsers without `field-sizing`.
  useLayoutEffect(() => {
    const box = input.current
    if (!box || CSS.supports('field-sizing', 'content')) return
    box.style.height = 'auto'
    box.style.height = `${box.scrollHeight + 2}px`
  }, [text])

  function change(next: string) {
    setText(next)
    if (editing) return void edits.set(draft, { message: editing, text: next })
    drafts.set(draft, next)
    if (trimmed(next) !== '') chat.typing()
  }

  function endEdit() {
    edits.delete(draft)
    onDone()
  }

  function send() {
    if (!canSend) return
    if (editing) {
      if (content !== editing.text) void chat.edit(editing.id, content)
      return endEdit()
    }
    void chat.send({ text: content })
    sdk?.haptic('success')
    change('')
    input.current?.focus()
  }

  return (
    <form
      className={styles.composer}
      aria-label={t('chats.write')}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {editing && (
        <p className={styles.editing}>
          {t('chats.editing')}
          <IconButton label={t('people.cancel')} onClick={endEdit}>
            <X size={18} aria-hidden />
          </IconButton>
        </p>
      )}
      {excess && <p role="alert">{excess}</p>}
      <div className={styles.write}>
        {!editing && <Pick onPick={setFile} />}
        <textarea
          ref={input}
          className={styles.input}
          rows={1}
          dir="auto"
          value={text}
          aria-label={t('chats.messageTo', { name })}
          placeholder={t('chats.placeholder')}
          enterKeyHint={hasKeyboard() ? 'send' : 'enter'}
          onChange={(event) => change(event.target.value)}
          onKeyDown={(event) => {
            if (isComposing(event.nativeEvent)) return
            if (event.key === 'Escape' && editing) return endEdit()
            if (event.key !== 'Enter' || event.shiftKey) return
            if (!hasKeyboard() && !event.ctrlKey && !event.metaKey) return
            event.preventDefault()
            send()
          }}
        />
        <IconButton
          type="submit"
          label={t(editing ? 'chats.save' : 'chats.send')}
          className={styles.send}
          aria-disabled={!canSend || undefined}
        >
          <SendHorizontal size={20} aria-hidden />
        </IconButton>
      </div>
      {file && (
        <Suspense fallback={null}>
          <PhotoSheet
            file={file}
            onClose={() => setFile(null)}
            onSend={(photo, caption) => {
              setFile(null)
              void chat.send({ photo, text: caption || undefined })
            }}
          />
        </Suspense>
      )}
    </form>
  )
}

/** Chooses a photo from the device, or on a touch device from its camera. */
function Pick({ onPick }: { onPick: (file: File) => void }) {
  const { t } = useLanguage()
  const [hasCamera] = useState(() => matchMedia('(pointer: coarse)').matches)
  const take = (event: React.ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? []
    // Reset the input, so that the same photo can be chosen again.
    event.target.value = ''
    if (file) onPick(file)
  }
  return (
    <>
      {hasCamera && (
        <label className={styles.pick} title={t('chats.camera')}>
          <Camera size={22} aria-hidden />
          <input type="file" accept="image/*" capture="environment" aria-label={t('chats.camera')} onChange={take} />
        </label>
      )}
      <label className={styles.pick} title={t('chats.choosePhoto')}>
        <ImageIcon size={22} aria-hidden />
        <input type="file" accept="image/*,.heic,.heif" aria-label={t('chats.choosePhoto')} onChange={take} />
      </label>
    </>
  )
}
