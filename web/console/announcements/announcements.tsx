import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Field, TextArea } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { keptDrafts } from '../../shared/kept-drafts.ts'
import { aboutNew, useDraft, useOpenForm } from '../drafts.ts'
import { errorAt, failureBeside, fieldText } from '../field-errors.ts'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, failureText, outcomeOf, useAction, useList } from '../requests.ts'
import { AddForm } from '../ui/add-form.tsx'
import { AskFirst } from '../ui/ask-first.tsx'
import { FailureText } from '../ui/failure.tsx'
import { removeRow } from '../ui/focus.ts'
import { Empty } from '../ui/loaded.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { Listed } from '../ui/table.tsx'
import { Ago, At, useNow } from '../ui/time.tsx'
import styles from './announcements.module.css'

type Announcement = components['schemas']['Announcement']

type Draft = { text: string; until: string }
const blank: Draft = { text: '', until: '' }
const drafts = keptDrafts<Draft>('announcements')

/** Announcements, which everybody gets as a notice in the app. */
export default function Announcements() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const now = useNow()
  const [isAdding, setIsAdding] = useOpenForm(drafts)
  const [removing, setRemoving] = useState<string | null>(null)
  const list = useList<Announcement>(
    (cursor) =>
      api.GET('/api/v1/admin/announcements', {
        params: { query: { limit: 20, ...(cursor !== undefined && { cursor }) } },
      }),
    'announcements',
  )
  const remove = async ({ id }: Announcement) => {
    setRemoving(id)
    const { failure } = await outcomeOf(api.DELETE('/api/v1/admin/announcements/{id}', { params: { path: { id } } }))
    setRemoving(null)
    toast(failure ? failureText(t, failure) : t('announcements.takenBack'))
    if (!failure) removeRow(() => list.change((items) => items.filter((each) => each.id !== id)))
  }
  const open = () => setIsAdding(true)
  useKeys(t('announcements.title'), [{ keys: 'n', label: t('announcements.new'), inLine: true, run: open }])
  return (
    <Page
      title={t('announcements.title')}
      actions={
        !isAdding && (
          <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={open}>
            {t('announcements.new')}
          </Button>
        )
      }
    >
      {isAdding && (
        <NewAnnouncement
          onClose={() => setIsAdding(false)}
          onMade={() => {
            setIsAdding(false)
            void list.reload()
          }}
        />
      )}
      <Listed list={list} empty={<Empty title={t('announcements.empty')}>{t('announcements.emptyHint')}</Empty>}>
        {(announcements) => (
          <ul className={styles.list} aria-label={t('announcements.title')}>
            {announcements.map((announcement) => {
              const { id, text, until, created_at } = announcement
              const isOver = until !== null && Date.parse(until) <= now
              return (
                <li key={id}>
                  <p className={isOver ? styles.over : undefined} dir="auto">
                    {text}
                  </p>
                  <div className={styles.facts}>
                    <Badge tone={isOver ? 'plain' : 'good'}>
                      {t(isOver ? 'announcements.over' : 'announcements.shown')}
                    </Badge>
                    <span>
                      <Ago at={created_at} />
                    </span>
                    <span>
                      {until === null ? (
                        t('announcements.noEnd')
                      ) : (
                        <>
                          {t('announcements.until')} <At at={until} />
                        </>
                      )}
                    </span>
                    <AskFirst
                      label={t(isOver ? 'announcements.delete' : 'announcements.takeBack')}
                      question={t('announcements.takeBackAsk')}
                      inRow
                      busy={removing === id}
                      onConfirm={() => void remove(announcement)}
                    />
                  </div>
                </li>
              )
            })}
          </ul>
        )}
      </Listed>
    </Page>
  )
}

function NewAnnouncement({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [{ text, until }, change, forget] = useDraft(drafts, aboutNew, blank)
  const [isIncomplete, setIsIncomplete] = useState(false)
  const first = useRef<HTMLTextAreaElement>(null)
  useEffect(() => first.current?.focus(), [])
  const tell = useAction(async () => {
    setIsIncomplete(true)
    if (text.trim() === '') return first.current?.focus() ?? null
    const { failure } = await outcomeOf(
      api.POST('/api/v1/admin/announcements', {
        body: { text: text.trim(), until: until === '' ? null : new Date(until).toISOString() },
      }),
    )
    if (failure) return failure
    forget()
    toast(t('announcements.told'))
    onMade()
    return null
  })
  const said = (path: string) => {
    const error = errorAt(tell.failure, path)
    return error && fieldText(t, error)
  }
  return (
    <AddForm
      title={t('announcements.new')}
      submit={t('announcements.tell')}
      busy={tell.busy}
      onSubmit={tell.run}
      onClose={() => {
        forget()
        onClose()
      }}
    >
      <TextArea
        ref={first}
        label={t('announcements.text')}
        hint={t('announcements.textHint')}
        value={text}
        error={isIncomplete && text.trim() === '' ? t('console.needed') : (excessText(t, text, 1000) ?? said('/text'))}
        onChange={(event) => change({ text: event.target.value })}
      />
      <Field
        label={t('announcements.until')}
        hint={t('announcements.untilHint')}
        type="datetime-local"
        max="9999-12-31T23:59"
        value={until}
        error={said('/until')}
        onChange={(event) => change({ until: event.target.value })}
      />
      <FailureText failure={failureBeside(tell.failure, ['/text', '/until'])} conflict={t('announcements.full')} />
    </AddForm>
  )
}
