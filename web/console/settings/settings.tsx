import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useRef, useState } from 'react'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { useResource } from '../requests.ts'
import { Choice } from '../ui/choice.tsx'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { type Column, Table } from '../ui/table.tsx'
import styles from './settings.module.css'

type Setting = components['schemas']['Setting']

/** The settings of the node that answers, read-only. */
export default function Settings() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const settings = useResource(() => api.GET('/api/v1/admin/settings'))
  const [typed, setTyped] = useState('')
  const [which, setWhich] = useState<'changed' | 'all'>('changed')
  const field = useRef<HTMLInputElement>(null)
  useKeys(t('settings.title'), [
    { keys: '/', label: t('settings.search'), inLine: true, run: () => field.current?.focus() },
  ])
  const columns: Column<Setting>[] = [
    { title: t('settings.name'), isHead: true, cell: ({ name }) => <code className={styles.value}>{name}</code> },
    { title: t('settings.value'), cell: (setting) => <Value setting={setting} /> },
    {
      title: t('settings.default'),
      cell: (setting) => <code className={styles.value}>{setting.default ?? t('settings.none')}</code>,
    },
  ]
  return (
    <Page
      title={t('settings.title')}
      actions={
        <Choice
          label={t('settings.which')}
          value={which}
          onChange={setWhich}
          options={[
            { value: 'changed', label: t('settings.changed') },
            { value: 'all', label: t('settings.all') },
          ]}
        />
      }
    >
      <p className={styles.hint}>{t('settings.hint')}</p>
      <SearchField ref={field} label={t('settings.search')} value={typed} onChange={setTyped} />
      <Loaded of={settings}>
        {({ items }) => {
          const rows = items.filter(
            ({ name, source }) =>
              (which === 'all' || source !== 'default') && name.toLowerCase().includes(typed.trim().toLowerCase()),
          )
          if (rows.length === 0)
            return (
              <Empty title={t('settings.empty')}>
                {t(which === 'all' ? 'settings.noMatch' : 'settings.asDefault')}
              </Empty>
            )
          return <Table caption={t('settings.title')} columns={columns} rows={rows} keyOf={({ name }) => name} />
        }}
      </Loaded>
    </Page>
  )
}

function Value({ setting: { value, secret, source } }: { setting: Setting }) {
  const { t } = useLanguage()
  return (
    <span className={styles.shown}>
      {value === null ? (
        <span className={styles.hint}>{t('settings.none')}</span>
      ) : (
        <code className={styles.value}>{value}</code>
      )}
      {secret && <Badge>{t('settings.secret')}</Badge>}
      {source !== 'default' && <Badge tone="accent">{t('settings.set')}</Badge>}
    </span>
  )
}
