import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { keptDrafts } from '../../shared/kept-drafts.ts'
import { aboutNew, useDraft, useOpenForm } from '../drafts.ts'
import { errorAt, failureBeside, fieldText } from '../field-errors.ts'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, failureText, outcomeOf, useAction, useList } from '../requests.ts'
import { AskFirst } from '../ui/ask-first.tsx'
import { FailureText } from '../ui/failure.tsx'
import { removeRow } from '../ui/focus.ts'
import { Actor } from '../ui/actor.tsx'
import { AddForm } from '../ui/add-form.tsx'
import { Empty } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { type Column, Listed, Table } from '../ui/table.tsx'
import { At } from '../ui/time.tsx'
import styles from './images.module.css'

type Banned = components['schemas']['BannedImage']

type Draft = { image: string; distance: string; reason: string }
const blank: Draft = { image: '', distance: '', reason: '' }
const drafts = keptDrafts<Draft>('images')

/** The banned images. The server stores only their hashes, so none is shown. */
export default function Images() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [isAdding, setIsAdding] = useOpenForm(drafts)
  const [removing, setRemoving] = useState<string | null>(null)
  const list = useList<Banned>(
    (cursor) =>
      api.GET('/api/v1/admin/image-bank', {
        params: { query: { limit: 50, ...(cursor !== undefined && { cursor }) } },
      }),
    'images',
  )
  const remove = async ({ id }: Banned) => {
    setRemoving(id)
    const { failure } = await outcomeOf(api.DELETE('/api/v1/admin/image-bank/{id}', { params: { path: { id } } }))
    setRemoving(null)
    toast(failure ? failureText(t, failure) : t('images.allowed'))
    if (!failure) removeRow(() => list.change((items) => items.filter((each) => each.id !== id)))
  }
  useKeys(t('images.title'), [{ keys: 'n', label: t('images.add'), inLine: true, run: () => setIsAdding(true) }])
  const columns: Column<Banned>[] = [
    { title: t('images.reason'), isHead: true, cell: ({ reason }) => reason },
    {
      title: t('images.hash'),
      cell: ({ hash }) => (
        <code className={styles.hash} title={hash}>
          {hash}
        </code>
      ),
    },
    { title: t('images.distance'), isNumber: true, cell: ({ distance }) => distance ?? t('images.byRule') },
    { title: t('images.by'), cell: ({ added_by }) => <Actor id={added_by} /> },
    { title: t('images.at'), cell: ({ created_at }) => <At at={created_at} /> },
    {
      title: t('images.report'),
      cell: ({ report_id }) =>
        report_id === null ? t('images.noReport') : <Link href={`/queue/${report_id}`}>{t('images.openReport')}</Link>,
    },
    {
      title: t('console.actions'),
      cell: (image) => (
        <AskFirst
          label={t('images.allow')}
          question={t('images.allowAsk')}
          inRow
          busy={removing === image.id}
          onConfirm={() => void remove(image)}
        />
      ),
    },
  ]
  return (
    <Page
      title={t('images.title')}
      actions={
        !isAdding && (
          <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setIsAdding(true)}>
            {t('images.add')}
          </Button>
        )
      }
    >
      {isAdding && (
        <NewImage
          onClose={() => setIsAdding(false)}
          onAdded={() => {
            setIsAdding(false)
            void list.reload()
          }}
        />
      )}
      <Listed list={list} empty={<Empty title={t('images.empty')}>{t('images.emptyHint')}</Empty>}>
        {(images) => <Table caption={t('images.title')} columns={columns} rows={images} keyOf={({ id }) => id} />}
      </Listed>
    </Page>
  )
}

const isHash = (text: string) => /^[0-9a-f]{64}$/i.test(text)

function NewImage({ onClose, onAdded }: { onClose: () => void; onAdded: () => void }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [{ image, distance, reason }, change, forget] = useDraft(drafts, aboutNew, blank)
  const first = useRef<HTMLInputElement>(null)
  const reasonField = useRef<HTMLInputElement>(null)
  const [isIncomplete, setIsIncomplete] = useState(false)
  useEffect(() => first.current?.focus(), [])
  const add = useAction(async () => {
    setIsIncomplete(true)
    const what = image.trim()
    if (what === '') return first.current?.focus() ?? null
    if (reason.trim() === '') return reasonField.current?.focus() ?? null
    const { failure } = await outcomeOf(
      api.POST('/api/v1/admin/image-bank', {
        body: {
          ...(isHash(what) ? { hash: what.toLowerCase() } : { image_id: what }),
          ...(distance !== '' && { distance: Number(distance) }),
          reason: reason.trim(),
        },
      }),
    )
    if (failure) return failure
    forget()
    toast(t('images.added'))
    onAdded()
    return null
  })
  const said = (...paths: string[]) => {
    const error = paths.map((path) => errorAt(add.failure, path)).find((each) => each !== null)
    return error ? fieldText(t, error) : null
  }
  return (
    <AddForm
      title={t('images.add')}
      submit={t('images.ban')}
      busy={add.busy}
      onSubmit={add.run}
      onClose={() => {
        forget()
        onClose()
      }}
    >
      <Field
        ref={first}
        label={t('images.which')}
        hint={t('images.whichHint')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        value={image}
        error={isIncomplete && image.trim() === '' ? t('console.needed') : said('/hash', '/image_id')}
        onChange={(event) => change({ image: event.target.value })}
      />
      <Field
        ref={reasonField}
        label={t('images.reason')}
        hint={t('images.reasonHint')}
        value={reason}
        error={
          isIncomplete && reason.trim() === '' ? t('console.needed') : (excessText(t, reason, 500) ?? said('/reason'))
        }
        onChange={(event) => change({ reason: event.target.value })}
      />
      <Field
        label={t('images.distance')}
        hint={t('images.distanceHint')}
        inputMode="numeric"
        maxLength={2}
        value={distance}
        error={said('/distance')}
        onChange={(event) => change({ distance: event.target.value.replaceAll(/\D/g, '') })}
      />
      <FailureText
        failure={failureBeside(add.failure, ['/hash', '/image_id', '/reason', '/distance'])}
        conflict={t('images.full')}
      />
    </AddForm>
  )
}
