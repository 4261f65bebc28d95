import { useConvene } from 'convene-client/react'
import { Plus } from 'lucide-react'
import { useRef, useState, useSyncExternalStore } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { useDraftKey } from '../drafts.ts'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { type Failure, failureText, type Outcome, outcomeOf, type Resource, useResource } from '../requests.ts'
import listStyles from '../ui/list.module.css'
import { Choice } from '../ui/choice.tsx'
import { BackToList, NoDetail } from '../ui/detail.tsx'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { OnOff } from '../ui/on-off.tsx'
import { Bar } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { focusRow, Split } from '../ui/split.tsx'
import { ActionBadge } from './action-badge.tsx'
import { drafts } from './drafts.ts'
import { Overview } from './overview.tsx'
import { draftOf, type Rule, ruleOf } from './rule-form.ts'
import { RuleEditor } from './rule-editor.tsx'
import styles from './rules.module.css'
import { matchText, scopeText } from './words.ts'

type RuleSet = { version: number; items: Rule[] }
const which = ['all', 'on', 'off'] as const

export default function Rules() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { id } = useParams()
  const rules = useResource<RuleSet>(() => api.GET('/api/v1/admin/rules'))
  const { data, failure, reload, set } = rules
  const [switching, setSwitching] = useState<readonly string[]>([])
  const trial = useRef<HTMLTextAreaElement>(null)

  /** A rule is replaced as a whole, and somebody else may have changed it since the list was read. */
  const readAgain = async (rule: Rule): Promise<Outcome<Rule>> => {
    const { data, failure } = await outcomeOf(api.GET('/api/v1/admin/rules'))
    if (failure) return { data: null, failure }
    // If it is deleted, the server says so when it is replaced.
    return { data: data.items.find(({ id }) => id === rule.id) ?? rule, failure: null }
  }
  const put = async (rule: Rule, on: boolean): Promise<Failure | null> => {
    const { data: latest, failure } = await readAgain(rule)
    if (failure) return failure
    const replaced = await outcomeOf(
      api.PUT('/api/v1/admin/rules/{id}', {
        params: { path: { id: rule.id } },
        body: { ...ruleOf(draftOf(latest)), public_text: latest.public_text, on },
      }),
    )
    return replaced.failure
  }
  const turn = async (rule: Rule, on: boolean) => {
    if (data === null || switching.includes(rule.id)) return
    const shown = (to: boolean) =>
      set({ ...data, items: data.items.map((each) => (each.id === rule.id ? { ...each, on: to } : each)) })
    setSwitching((before) => [...before, rule.id])
    shown(on)
    const failure = await put(rule, on)
    setSwitching((before) => before.filter((each) => each !== rule.id))
    if (failure) {
      shown(!on)
      toast(failureText(t, failure))
    } else toast(t(on ? 'rules.turnedOn' : 'rules.turnedOff', { name: rule.name }))
    await reload()
  }
  /** The rule whose row has the focus, or else the one that is open. */
  const meant = () => {
    const focused = document.activeElement?.closest('[data-rule]')?.getAttribute('data-rule') ?? id
    return data?.items.find((rule) => rule.id === focused)
  }
  useKeys(t('rules.title'), [
    { keys: 'n', label: t('rules.new'), inLine: true, run: () => navigate('/rules/new') },
    { keys: 'j', label: t('queue.down'), inLine: true, repeats: true, run: () => focusRow(1) },
    { keys: 'k', label: t('queue.up'), inLine: true, repeats: true, run: () => focusRow(-1) },
    {
      keys: 'x',
      label: t('rules.switch'),
      inLine: true,
      run: () => {
        const rule = meant()
        if (rule) void turn(rule, !rule.on)
      },
    },
    {
      keys: 't',
      label: t('rules.try.title'),
      inLine: true,
      run: () => {
        if (trial.current?.offsetParent) trial.current.focus()
        else navigate('/rules/try')
      },
    },
    ...(id === undefined
      ? []
      : [{ keys: 'Escape', label: t('queue.back'), inFields: true, run: () => navigate('/rules') }]),
  ])
  const back = <BackToList href="/rules" />
  const rule = data?.items.find((each) => each.id === id)
  return (
    <Split
      isOpen={id !== undefined}
      list={
        <>
          <Bar
            title={t('rules.title')}
            actions={
              <>
                <Link href="/rules/try" className={styles.trying}>
                  {t('rules.try.open')}
                </Link>
                <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={() => navigate('/rules/new')}>
                  {t('rules.new')}
                </Button>
              </>
            }
          />
          <RuleList rules={rules} id={id} switching={switching} onTurn={turn} />
        </>
      }
      detail={
        id === 'new' ? (
          <RuleEditor
            key="new"
            rule={null}
            back={back}
            trial={trial}
            readAgain={readAgain}
            onSaved={reload}
            onTurn={turn}
          />
        ) : id === undefined || id === 'try' ? (
          <Overview back={back} trial={trial} focused={id === 'try'} rules={data} />
        ) : rule ? (
          <RuleEditor
            key={id}
            rule={rule}
            back={back}
            trial={trial}
            readAgain={readAgain}
            onSaved={reload}
            onTurn={turn}
          />
        ) : (
          <NoDetail
            title={t('rules.one')}
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

type ListProps = {
  rules: Resource<RuleSet>
  id: string | undefined
  switching: readonly string[]
  onTurn: (rule: Rule, on: boolean) => Promise<void>
}

function RuleList({ rules, id, switching, onTurn }: ListProps) {
  const { t } = useLanguage()
  const [typed, setTyped] = useState('')
  const [shown, setShown] = useState<(typeof which)[number]>('all')
  const field = useRef<HTMLInputElement>(null)
  const unsaved = useSyncExternalStore(drafts.subscribe, drafts.keys)
  const draftKey = useDraftKey()
  useKeys(t('rules.title'), [{ keys: '/', label: t('rules.search'), run: () => field.current?.focus() }])
  const items = rules.data?.items
  const on = items?.filter((rule) => rule.on).length
  const counts = { all: items?.length, on, off: items && on !== undefined ? items.length - on : undefined }
  // Rules that were on when the list was loaded come first. The order then stays, so that a rule does not move when it is turned on.
  const firstSeen = useRef<ReadonlyMap<string, boolean>>(null)
  if (items && firstSeen.current === null) firstSeen.current = new Map(items.map((rule) => [rule.id, rule.on]))
  const rank = ({ id }: Rule) => (firstSeen.current?.get(id) === false ? 1 : 0)
  const sought = typed.trim().toLowerCase()
  return (
    <>
      <SearchField ref={field} label={t('rules.search')} value={typed} onChange={setTyped} />
      <div className={listStyles.filters}>
        <Choice
          label={t('rules.which')}
          value={shown}
          onChange={setShown}
          options={which.map((value) => ({ value, label: t(`rules.which.${value}`), count: counts[value] }))}
        />
      </div>
      <div className={listStyles.rows}>
        <Loaded of={rules}>
          {({ items }) => {
            const found = items
              .filter(
                (rule) => (shown === 'all' || rule.on === (shown === 'on')) && rule.name.toLowerCase().includes(sought),
              )
              .toSorted((a, b) => rank(a) - rank(b))
            if (found.length === 0)
              return (
                <Empty title={t(items.length === 0 ? 'rules.none' : 'rules.noMatch')}>
                  {items.length === 0 ? t('rules.noneHint') : shown === 'on' && sought === '' && t('rules.allOff')}
                </Empty>
              )
            return (
              <ul>
                {found.map((rule) => (
                  <li key={rule.id} className={styles.item} data-rule={rule.id}>
                    <Link
                      href={`/rules/${rule.id}`}
                      className={`${listStyles.row} ${rule.on ? '' : styles.off}`}
                      data-row
                      aria-current={rule.id === id ? 'true' : undefined}
                    >
                      <span className={listStyles.first}>
                        <b className={listStyles.name}>{rule.name}</b>
                        <ActionBadge action={rule.action} />
                      </span>
                      <span className={listStyles.second}>
                        <span className={listStyles.excerpt}>
                          {[
                            unsaved.has(draftKey(rule.id)) && t('rules.unsaved'),
                            matchText(t, rule),
                            rule.applies_to.map((subject) => t(`rules.in.${subject}`)).join(', '),
                            scopeText(t, rule),
                          ]
                            .filter(Boolean)
                            .join(' · ')}
                        </span>
                      </span>
                    </Link>
                    <OnOff
                      label={t('rules.onOf', { name: rule.name })}
                      checked={rule.on}
                      busy={switching.includes(rule.id)}
                      onChange={(on) => void onTurn(rule, on)}
                    />
                  </li>
                ))}
              </ul>
            )
          }}
        </Loaded>
      </div>
    </>
  )
}
