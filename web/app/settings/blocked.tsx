import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Ban } from 'lucide-react'
import { useEffect, useState } from 'react'
import { dateOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { State } from '../../shared/ui/state.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { useUnblock } from '../people/block-sheet.tsx'
import { allPages, outcomeOf, useAction, useResource } from '../requests.ts'
import { Loaded, Part, useFocusAfterRemoval } from './loaded.tsx'
import styles from './settings.module.css'

type Block = components['schemas']['Block']
const none: readonly Block[] = []

// More than 1,000 chats are not read for a name.
const mostPages = 10

/** The names of the blocked people, by id. A block hides their profiles, so the names come from the chats with them. */
function useNames(blocks: readonly Block[] = none): ReadonlyMap<string, string | null> {
  const { api } = useConvene()
  const [names, setNames] = useState<ReadonlyMap<string, string | null>>(new Map())
  useEffect(() => {
    let isOver = false
    const nameless = new Set(blocks.map(({ user_id }) => user_id).filter((id) => !names.has(id)))
    async function read() {
      let cursor: string | null | undefined
      for (let page = 0; page < mostPages && nameless.size > 0 && cursor !== null; page++) {
        const query = { limit: 100, ...(cursor && { cursor }) }
        const { data } = await outcomeOf(api.GET('/api/v1/chats', { params: { query } }))
        if (isOver || data === null) return
        setNames((before) => new Map([...before, ...data.items.map(({ user }) => [user.id, user.name] as const)]))
        for (const { user } of data.items) nameless.delete(user.id)
        cursor = data.next_cursor
      }
    }
    void read()
    return () => {
      isOver = true
    }
  }, [blocks, api])
  return names
}

export default function Blocked() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const blocks = useResource(() => allPages<Block>((query) => api.GET('/api/v1/blocks', { params: { query } })))
  useFocusAfterRemoval(blocks.data?.items.length)
  const names = useNames(blocks.data?.items)
  return (
    <Part title={t('settings.blocked.title')}>
      <p className={styles.quiet}>{t('settings.blocked.text')}</p>
      <Loaded of={blocks}>
        {({ items }) =>
          items.length === 0 ? (
            <State icon={<Ban size={32} />} title={t('settings.blocked.empty')}>
              {t('settings.blocked.emptyText')}
            </State>
          ) : (
            items.map((block) => (
              <BlockCard
                key={block.id}
                block={block}
                name={names.get(block.user_id) ?? null}
                onChange={blocks.reload}
              />
            ))
          )
        }
      </Loaded>
    </Part>
  )
}

function BlockCard({ block, name, onChange }: { block: Block; name: string | null; onChange: () => void }) {
  const { t, language } = useLanguage()
  const unblock = useUnblock()
  const lift = useAction(async () => {
    const failure = await unblock(block.id)
    onChange()
    return failure
  })
  const shown = name ?? t('settings.blocked.somebody')
  return (
    <article className={styles.card}>
      <div>
        <h2>{shown}</h2>
        <p className={styles.quiet}>
          {t('settings.blocked.since', { date: dateOf(language, new Date(block.created_at)) })}
        </p>
      </div>
      <div className={styles.actions}>
        <Button busy={lift.busy} aria-label={t('settings.blocked.liftOf', { name: shown })} onClick={() => lift.run()}>
          {t('settings.blocked.lift')}
        </Button>
      </div>
      <FailureText failure={lift.failure} />
    </article>
  )
}
