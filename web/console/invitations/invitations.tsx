import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Copy, Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { keptDrafts } from '../../shared/kept-drafts.ts'
import { aboutNew, useDraft, useOpenForm } from '../drafts.ts'
import { errorAt, failureBeside, fieldText } from '../field-errors.ts'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, failureText, outcomeOf, useAction, useList, useResource } from '../requests.ts'
import { AddForm } from '../ui/add-form.tsx'
import { AskFirst } from '../ui/ask-first.tsx'
import { FailureText } from '../ui/failure.tsx'
import { removeRow, useFocusAfter } from '../ui/focus.ts'
import { Empty } from '../ui/loaded.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { type Column, Listed, Table } from '../ui/table.tsx'
import { At, useNow } from '../ui/time.tsx'
import styles from './invitations.module.css'

type Invite = components['schemas']['Invite']
type Made = Invite & { code: string }

type Draft = { uses: string; until: string; note: string }
const blank: Draft = { uses: '1', until: '', note: '' }
const drafts = keptDrafts<Draft>('invitations')

export default function Invitations() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const now = useNow()
  const [isAdding, setIsAdding] = useOpenForm(drafts)
  const [made, setMade] = useState<Made | null>(null)
  const [removing, setRemoving] = useState<string | null>(null)
  const providers = useResource(() => api.GET('/api/v1/auth/providers'))
  const list = useList<Invite>(
    (cursor) =>
      api.GET('/api/v1/admin/invites', { params: { query: { limit: 50, ...(cursor !== undefined && { cursor }) } } }),
    'invites',
  )
  const remove = async ({ id }: Invite) => {
    setRemoving(id)
    const { failure } = await outcomeOf(api.DELETE('/api/v1/admin/invites/{id}', { params: { path: { id } } }))
    setRemoving(null)
    toast(failure ? failureText(t, failure) : t('invites.deleted'))
    if (failure) return
    if (made?.id === id) setMade(null)
    removeRow(() => list.change((items) => items.filter((each) => each.id !== id)))
  }
  const open = () => setIsAdding(true)
  useKeys(t('invites.title'), [{ keys: 'n', label: t('invites.new'), inLine: true, run: open }])
  const columns: Column<Invite>[] = [
    { title: t('invites.note'), isHead: true, cell: ({ note }) => note || t('invites.noNote') },
    {
      title: t('invites.used'),
      isNumber: true,
      cell: ({ used, uses }) => t('invites.usedOf', { used, count: uses }),
    },
    {
      title: t('invites.until'),
      cell: ({ expires_at }) => (expires_at === null ? t('invites.noEnd') : <At at={expires_at} />),
    },
    {
      title: t('invites.state'),
      cell: ({ used, uses, expires_at }) =>
        used >= uses ? (
          <Badge>{t('invites.usedUp')}</Badge>
        ) : expires_at !== null && Date.parse(expires_at) <= now ? (
          <Badge>{t('invites.over')}</Badge>
        ) : (
          <Badge tone="good">{t('invites.open')}</Badge>
        ),
    },
    { title: t('invites.at'), cell: ({ created_at }) => <At at={created_at} /> },
    {
      title: t('console.actions'),
      cell: (invite) => (
        <AskFirst
          label={t('invites.delete')}
          question={t('invites.deleteAsk')}
          inRow
          busy={removing === invite.id}
          onConfirm={() => void remove(invite)}
        />
      ),
    },
  ]
  return (
    <Page
      title={t('invites.title')}
      actions={
        !isAdding && (
          <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={open}>
            {t('invites.new')}
          </Button>
        )
      }
    >
      {providers.data && providers.data.registration !== 'invite' && (
        <p className={styles.hint}>
          {t(providers.data.registration === 'open' ? 'invites.notNeeded' : 'invites.closed')}
        </p>
      )}
      {isAdding && (
        <NewInvite
          onClose={() => setIsAdding(false)}
          onMade={(invite) => {
            setIsAdding(false)
            setMade(invite)
            void list.reload()
          }}
        />
      )}
      {made && <Code key={made.id} invite={made} onClose={() => setMade(null)} />}
      <Listed list={list} empty={<Empty title={t('invites.empty')}>{t('invites.emptyHint')}</Empty>}>
        {(invites) => <Table caption={t('invites.title')} columns={columns} rows={invites} keyOf={({ id }) => id} />}
      </Listed>
    </Page>
  )
}

function NewInvite({ onClose, onMade }: { onClose: () => void; onMade: (invite: Made) => void }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [{ uses, until, note }, change, forget] = useDraft(drafts, aboutNew, blank)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.select(), [])
  const make = useAction(async () => {
    if (uses === '') return first.current?.focus() ?? null
    const { data, failure } = await outcomeOf(
      api.POST('/api/v1/admin/invites', {
        body: {
          uses: Number(uses),
          expires_at: until === '' ? null : new Date(until).toISOString(),
          note: note.trim() || null,
        },
      }),
    )
    if (failure) return failure
    forget()
    onMade(data)
    return null
  })
  const said = (path: string) => {
    const error = errorAt(make.failure, path)
    return error && fieldText(t, error)
  }
  return (
    <AddForm
      title={t('invites.new')}
      submit={t('invites.make')}
      busy={make.busy}
      onSubmit={make.run}
      onClose={() => {
        forget()
        onClose()
      }}
    >
      <div className={styles.pair}>
        <Field
          ref={first}
          label={t('invites.uses')}
          hint={t('rules.range', { from: 1, to: 1000 })}
          inputMode="numeric"
          maxLength={6}
          autoComplete="off"
          value={uses}
          error={uses === '' ? t('console.needed') : said('/uses')}
          onChange={(event) => change({ uses: event.target.value.replaceAll(/\D/g, '') })}
        />
        <Field
          label={t('invites.until')}
          hint={t('invites.untilHint')}
          type="datetime-local"
          max="9999-12-31T23:59"
          value={until}
          error={said('/expires_at')}
          onChange={(event) => change({ until: event.target.value })}
        />
      </div>
      <Field
        label={t('invites.note')}
        hint={t('invites.noteHint')}
        autoComplete="off"
        value={note}
        error={excessText(t, note, 500) ?? said('/note')}
        onChange={(event) => change({ note: event.target.value })}
      />
      <FailureText failure={failureBeside(make.failure, ['/uses', '/expires_at', '/note'])} />
    </AddForm>
  )
}

/** The code of a new invitation, which the server shows only once. */
function Code({ invite: { code }, onClose }: { invite: Made; onClose: () => void }) {
  const { t } = useLanguage()
  const toast = useToast()
  const first = useRef<HTMLButtonElement>(null)
  useFocusAfter()
  useEffect(() => first.current?.focus(), [])
  // The app reads the code from the fragment, which browsers send to no server.
  const link = `${location.origin}/sign-up#invite=${code}`
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      toast(t('console.copied'))
    } catch {
      // Pages without HTTPS have no clipboard.
      toast(t('console.notCopied'))
    }
  }
  useKeys(t('invites.code'), [
    { keys: 'c', label: t('invites.copyLink'), inLine: true, run: () => void copy(link) },
    { keys: 'Escape', label: t('console.close'), inLine: true, run: onClose },
  ])
  return (
    <section className={styles.made} aria-label={t('invites.code')}>
      <p>{t('invites.onlyNow')}</p>
      <code className={styles.code}>{code}</code>
      <code className={styles.link}>{link}</code>
      <div className={styles.buttons}>
        <Button ref={first} look="primary" icon={<Copy size={16} aria-hidden />} onClick={() => void copy(link)}>
          {t('invites.copyLink')}
        </Button>
        <Button onClick={() => void copy(code)}>{t('invites.copyCode')}</Button>
        <Button look="quiet" onClick={onClose}>
          {t('console.close')}
        </Button>
      </div>
    </section>
  )
}
