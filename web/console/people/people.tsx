import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { UsersRound } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { useList } from '../requests.ts'
import { useStaff } from '../staff.tsx'
import listStyles from '../ui/list.module.css'
import { Filter } from '../ui/choice.tsx'
import { BackToList, NothingChosen } from '../ui/detail.tsx'
import { Empty } from '../ui/loaded.tsx'
import { Bar } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { focusRow, Split } from '../ui/split.tsx'
import { Listed } from '../ui/table.tsx'
import { type Person, roles } from './person-record.ts'
import { PersonPage } from './person.tsx'
import styles from './people.module.css'
import { StandingBadge } from './summary.tsx'

type Found = components['schemas']['PersonInList']
const standings = ['active', 'suspended'] as const
/** What an action on an account may change in the list. */
type Changed = Pick<Found, 'id' | 'standing' | 'suspended_until' | 'role'>
type Shown = { q: string; standing: (typeof standings)[number] | ''; role: (typeof roles)[number] | '' }

function addressOf({ q, standing, role }: Shown, id?: string): string {
  const search = new URLSearchParams()
  if (q) search.set('q', q)
  if (standing) search.set('standing', standing)
  if (role) search.set('role', role)
  const query = search.toString()
  return `/people${id === undefined ? '' : `/${id}`}${query && `?${query}`}`
}

export default function People() {
  const { t } = useLanguage()
  const [, navigate] = useLocation()
  const { id } = useParams()
  const { isAdmin } = useStaff()
  const [changed, setChanged] = useState<Changed | null>(null)
  const onRead = useCallback(
    ({ id, standing, suspended_until, role }: Person) => setChanged({ id, standing, suspended_until, role }),
    [],
  )
  const search = new URLSearchParams(useSearch())
  const shown: Shown = {
    q: search.get('q') ?? '',
    standing: standings.find((each) => each === search.get('standing')) ?? '',
    role: roles.find((each) => each === search.get('role')) ?? '',
  }
  useKeys(
    t('people.title'),
    id === undefined ? [] : [{ keys: 'Escape', label: t('queue.back'), run: () => navigate(addressOf(shown)) }],
  )
  return (
    <Split
      isOpen={id !== undefined}
      list={
        <>
          <Bar title={t('people.title')} />
          {isAdmin ? (
            <Results shown={shown} id={id} changed={changed} />
          ) : (
            <Empty title={t('people.forAdmins')}>{t('people.forAdminsHint')}</Empty>
          )}
        </>
      }
      detail={
        id === undefined ? (
          <NothingChosen icon={UsersRound}>{t('people.choose')}</NothingChosen>
        ) : (
          <PersonPage key={id} id={id} back={<BackToList href={addressOf(shown)} />} onRead={onRead} />
        )
      }
    />
  )
}

// The search starts after a pause in typing, because the audit log records each one.
const pauseMs = 350

type ResultsProps = { shown: Shown; id: string | undefined; changed: Changed | null }

function Results({ shown, id, changed }: ResultsProps) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [, navigate] = useLocation()
  const field = useRef<HTMLInputElement>(null)
  const { q, standing, role } = shown
  const [typed, setTyped] = useState(q)
  // What is searched for is in the address, which a link or the browser's Back may change too: then the field follows it.
  const [followed, setFollowed] = useState(q)
  if (followed !== q) {
    setFollowed(q)
    setTyped(q)
  }
  useEffect(() => {
    if (typed === q) return
    const timer = setTimeout(() => navigate(addressOf({ q: typed, standing, role }, id), { replace: true }), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, q, standing, role, id, navigate])
  const list = useList<Found>(
    (cursor) =>
      api.GET('/api/v1/admin/users', {
        params: {
          query: {
            ...(q && { q }),
            ...(standing && { standing }),
            ...(role && { role }),
            ...(cursor !== undefined && { cursor }),
          },
        },
      }),
    JSON.stringify([q, standing, role]),
  )
  const { change } = list
  // Searching again would add an entry to the audit log.
  useEffect(() => {
    if (changed) change((items) => items.map((item) => (item.id === changed.id ? { ...item, ...changed } : item)))
  }, [changed, change])
  useKeys(t('people.title'), [
    { keys: '/', label: t('people.search'), inLine: true, run: () => field.current?.focus() },
    { keys: 'j', label: t('queue.down'), inLine: true, repeats: true, run: () => focusRow(1) },
    { keys: 'k', label: t('queue.up'), inLine: true, repeats: true, run: () => focusRow(-1) },
  ])
  return (
    <>
      <SearchField
        ref={field}
        label={t('people.search')}
        placeholder={t('people.searchHint')}
        maxLength={254}
        value={typed}
        onChange={setTyped}
      />
      <div className={listStyles.filters}>
        <Filter
          label={t('people.standing')}
          value={standing}
          onChange={(chosen) => navigate(addressOf({ ...shown, standing: chosen }))}
          options={[
            { value: '', label: t('people.standing.any') },
            ...standings.map((value) => ({ value, label: t(`people.standing.${value}`) })),
          ]}
        />
        <Filter
          label={t('people.role')}
          value={role}
          onChange={(chosen) => navigate(addressOf({ ...shown, role: chosen }))}
          options={[
            { value: '', label: t('people.role.any') },
            ...roles.map((value) => ({ value, label: t(`console.role.${value}`) })),
          ]}
        />
      </div>
      <div className={listStyles.rows}>
        <Listed list={list} empty={<Empty title={t('people.nobody')}>{t('people.nobodyHint')}</Empty>}>
          {(people) => (
            <ul>
              {people.map((person) => (
                <li key={person.id}>
                  <Link
                    href={addressOf(shown, person.id)}
                    className={listStyles.row}
                    data-row
                    aria-current={person.id === id ? 'true' : undefined}
                  >
                    <span className={listStyles.first}>
                      <b className={listStyles.name} dir="auto">
                        {person.name ?? t('people.nameless')}
                      </b>
                      <span className={styles.badges}>
                        <StandingBadge person={person} />
                      </span>
                    </span>
                    <span className={listStyles.second}>
                      <span className={listStyles.excerpt}>{person.email ?? person.phone ?? person.id}</span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </Listed>
      </div>
    </>
  )
}
