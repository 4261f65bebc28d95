import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { FileText, Plus } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { Field, TextArea } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { keptDrafts } from '../../shared/kept-drafts.ts'
import { aboutNew, useDraft } from '../drafts.ts'
import { errorAt, failureBeside, fieldText } from '../field-errors.ts'
import { Keys, useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, type Outcome, outcomeOf, useAction, useResource } from '../requests.ts'
import detailStyles from '../ui/detail.module.css'
import listStyles from '../ui/list.module.css'
import { AskFirst } from '../ui/ask-first.tsx'
import { Filter } from '../ui/choice.tsx'
import { BackToList, NoDetail, NothingChosen } from '../ui/detail.tsx'
import { FailureText } from '../ui/failure.tsx'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { Badge, Bar } from '../ui/page.tsx'
import { focusRow, Split } from '../ui/split.tsx'
import styles from './templates.module.css'

type Template = components['schemas']['Template']
type Written = Pick<Template, 'name' | 'language' | 'text'>

const isSame = (a: Written, b: Written) => a.name === b.name && a.language === b.language && a.text === b.text

/** The name of a language in the language of the console; null for an invalid tag. */
function languageName(language: string, tag: string): string | null {
  try {
    const name = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(tag)
    return name === undefined ? null : name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
  } catch {
    return null
  }
}

const primary = (tag: string) => tag.toLowerCase().split('-')[0] ?? ''

/** The templates for statements of reasons, by language. */
export default function Templates() {
  const { t, language } = useLanguage()
  const { api } = useConvene()
  const [, navigate] = useLocation()
  const { id } = useParams()
  const chosen = new URLSearchParams(useSearch()).get('language') ?? ''
  const templates = useResource(() => api.GET('/api/v1/admin/templates'))
  const { data, failure, reload } = templates
  const addressOf = (of?: string, inLanguage = chosen) =>
    `/templates${of === undefined ? '' : `/${of}`}${inLanguage && `?language=${encodeURIComponent(inLanguage)}`}`
  useKeys(t('templates.title'), [
    { keys: 'n', label: t('templates.new'), inLine: true, run: () => navigate(addressOf('new')) },
    { keys: 'j', label: t('queue.down'), inLine: true, repeats: true, run: () => focusRow(1) },
    { keys: 'k', label: t('queue.up'), inLine: true, repeats: true, run: () => focusRow(-1) },
    ...(id === undefined ? [] : [{ keys: 'Escape', label: t('queue.back'), run: () => navigate(addressOf()) }]),
  ])
  const back = <BackToList href={addressOf()} />
  const nameOf = (tag: string) => languageName(language, tag) ?? tag
  const template = data?.items.find((each) => each.id === id)
  const tags = [...new Set(data?.items.map((each) => primary(each.language)))].toSorted((a, b) =>
    nameOf(a).localeCompare(nameOf(b), language),
  )
  const editor = { back, onSaved: reload, onOpen: (of?: string) => navigate(addressOf(of), { replace: true }) }
  return (
    <Split
      isOpen={id !== undefined}
      list={
        <>
          <Bar
            title={t('templates.title')}
            actions={
              <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={() => navigate(addressOf('new'))}>
                {t('templates.new')}
              </Button>
            }
          />
          {tags.length > 1 && (
            <div className={listStyles.filters}>
              <Filter
                label={t('templates.language')}
                value={tags.includes(chosen) ? chosen : ''}
                onChange={(tag) => navigate(addressOf(id, tag))}
                options={[
                  { value: '', label: t('templates.anyLanguage') },
                  ...tags.map((value) => ({ value, label: nameOf(value) })),
                ]}
              />
            </div>
          )}
          <div className={listStyles.rows}>
            <Loaded of={templates}>
              {({ items }) =>
                items.length === 0 ? (
                  <Empty title={t('templates.empty')}>{t('templates.emptyHint')}</Empty>
                ) : (
                  tags
                    .filter((tag) => !tags.includes(chosen) || tag === chosen)
                    .map((tag) => (
                      <section key={tag} aria-label={nameOf(tag)}>
                        <h2 className={styles.language}>{nameOf(tag)}</h2>
                        <ul>
                          {items
                            .filter((each) => primary(each.language) === tag)
                            .map((each) => (
                              <li key={each.id}>
                                <Link
                                  href={addressOf(each.id)}
                                  className={listStyles.row}
                                  data-row
                                  aria-current={each.id === id ? 'true' : undefined}
                                >
                                  <span className={listStyles.first}>
                                    <b className={listStyles.name}>{each.name}</b>
                                    {each.language.toLowerCase() !== tag && <span>{each.language}</span>}
                                  </span>
                                  <span className={listStyles.second}>
                                    <span className={listStyles.excerpt} lang={each.language}>
                                      {each.text}
                                    </span>
                                  </span>
                                </Link>
                              </li>
                            ))}
                        </ul>
                      </section>
                    ))
                )
              }
            </Loaded>
          </div>
        </>
      }
      detail={
        id === undefined ? (
          <NothingChosen icon={FileText}>{t('templates.choose')}</NothingChosen>
        ) : id === 'new' ? (
          <TemplateEditor key="new" template={null} startIn={tags.includes(chosen) ? chosen : language} {...editor} />
        ) : template ? (
          <TemplateEditor key={id} template={template} startIn={template.language} {...editor} />
        ) : (
          <NoDetail
            title={t('templates.one')}
            back={back}
            missing={data !== null && <Empty title={t('console.failure.notFound')} />}
            failure={failure}
            reload={reload}
          />
        )
      }
    />
  )
}

/** `opened` is what was stored when this admin began, or learned of somebody else's change; null for a new one. */
type Draft = { name: string; tag: string; text: string; opened: Template | null }
const drafts = keptDrafts<Draft>('templates')

type EditorProps = {
  /** Null for a new one. */
  template: Template | null
  /** The initial language of a new template. */
  startIn: string
  back: ReactNode
  onSaved: () => Promise<unknown>
  /** Opens another template, or none. */
  onOpen: (id?: string) => void
}

function TemplateEditor({ template, startIn, back, onSaved, onOpen }: EditorProps) {
  const { t, language } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const first = { name: template?.name ?? '', tag: startIn, text: template?.text ?? '', opened: template }
  const [draft, change, forget] = useDraft(drafts, template?.id ?? aboutNew, first)
  const { name, tag, text, opened } = draft
  const [isOutdated, setIsOutdated] = useState(false)
  const [isIncomplete, setIsIncomplete] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (template === null) form.current?.querySelector('input')?.focus()
    else heading.current?.focus()
  }, [])
  const latest = useRef(draft)
  latest.current = draft
  const body: Written = { name: name.trim(), language: tag.trim(), text: text.trim() }
  const isDirty = !isSame(body, opened ?? { name: '', language: body.language, text: '' })
  useEffect(() => {
    if (!isDirty) forget()
  })
  const replace = async (of: Template, body: Written): Promise<Outcome<Template> | null> => {
    const { data, failure } = await outcomeOf(api.GET('/api/v1/admin/templates'))
    if (failure) return { data: null, failure }
    // If it is deleted, the server says so when it is replaced.
    const stored = data.items.find(({ id }) => id === of.id)
    // It equals the body if this admin has saved before and only the answer was lost.
    if (stored && opened && !isSame(stored, opened) && !isSame(stored, body)) {
      change({ opened: stored })
      setIsOutdated(true)
      await onSaved()
      return null
    }
    return outcomeOf(api.PUT('/api/v1/admin/templates/{id}', { params: { path: { id: of.id } }, body }))
  }
  const save = useAction(async () => {
    setIsOutdated(false)
    setIsIncomplete(true)
    const lacking = [body.name, body.language, body.text].indexOf('')
    if (lacking >= 0) return form.current?.querySelectorAll<HTMLElement>('input, textarea')[lacking]?.focus() ?? null
    const saved =
      template === null ? await outcomeOf(api.POST('/api/v1/admin/templates', { body })) : await replace(template, body)
    if (saved === null) return null
    const { data, failure } = saved
    if (failure) return failure
    // What is written meanwhile stays.
    const isUnchanged = latest.current === draft
    change({ opened: data, ...(isUnchanged && { name: data.name, tag: data.language, text: data.text }) })
    if (template === null) forget()
    await onSaved()
    toast(t('templates.saved'))
    if (template === null) onOpen(data.id)
    return null
  })
  const remove = useAction(async () => {
    if (template === null) return null
    const { failure } = await outcomeOf(
      api.DELETE('/api/v1/admin/templates/{id}', { params: { path: { id: template.id } } }),
    )
    if (failure) return failure
    forget()
    onOpen()
    await onSaved()
    toast(t('templates.deleted'))
    return null
  })
  useKeys(t('templates.one'), [
    { keys: 'Mod+Enter', label: t('console.save'), inFields: true, inLine: true, run: () => void save.run() },
  ])
  const discard = () => {
    change({ name: opened?.name ?? '', tag: opened?.language ?? startIn, text: opened?.text ?? '' })
    setIsOutdated(false)
    setIsIncomplete(false)
    save.setFailure(null)
    // The button is gone.
    heading.current?.focus()
  }
  const { failure } = save
  const isTaken = failure !== null && failure !== 'offline' && failure.code === 'conflict'
  const said = (path: string, value: string) => {
    if (isIncomplete && value.trim() === '') return t('console.needed')
    const error = errorAt(failure, path)
    return error && fieldText(t, error)
  }
  return (
    <article className={detailStyles.item} aria-label={t('templates.one')}>
      <header className={detailStyles.head}>
        {back}
        <h1 ref={heading} tabIndex={-1}>
          {template === null ? t('templates.newTitle') : template.name}
        </h1>
        {isDirty && template !== null && <Badge tone="notice">{t('rules.unsaved')}</Badge>}
      </header>
      <div className={styles.body}>
        <form
          ref={form}
          className={styles.form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            void save.run()
          }}
        >
          <Field
            label={t('templates.name')}
            hint={t('templates.nameHint')}
            autoComplete="off"
            value={name}
            error={excessText(t, name, 80) ?? said('/name', name)}
            onChange={(event) => change({ name: event.target.value })}
          />
          <Field
            label={t('templates.language')}
            hint={languageName(language, tag.trim()) ?? t('templates.languageHint')}
            maxLength={35}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={tag}
            error={said('/language', tag)}
            onChange={(event) => change({ tag: event.target.value })}
          />
          <TextArea
            label={t('templates.text')}
            hint={t('templates.textHint')}
            rows={6}
            lang={languageName(language, tag.trim()) === null ? undefined : tag.trim()}
            value={text}
            error={excessText(t, text, 2000) ?? said('/text', text)}
            onChange={(event) => change({ text: event.target.value })}
          />
          {isTaken ? (
            <p className={styles.error} role="alert">
              {t('templates.taken')}
            </p>
          ) : (
            <FailureText failure={failureBeside(failure, ['/name', '/language', '/text']) ?? remove.failure} />
          )}
          {isOutdated && (
            <p className={styles.error} role="alert">
              {t('templates.outdated')}
            </p>
          )}
          <div className={styles.buttons}>
            <Button type="submit" look="primary" busy={save.busy}>
              {t('console.save')} <Keys keys="Mod+Enter" />
            </Button>
            {isDirty && (
              <Button look="quiet" onClick={discard}>
                {t('rules.discard')}
              </Button>
            )}
            {template !== null && (
              <AskFirst
                label={t('templates.delete')}
                question={t('templates.deleteAsk', { name: template.name })}
                busy={remove.busy}
                onConfirm={remove.run}
              />
            )}
          </div>
        </form>
      </div>
    </article>
  )
}
