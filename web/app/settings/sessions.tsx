import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { dateOf, timeOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { allPages, outcomeOf, useAction, useResource } from '../requests.ts'
import { Group, Loaded, Part, useFocusAfterRemoval } from './loaded.tsx'
import styles from './settings.module.css'
import { deviceOf } from './user-agent.ts'

type Session = components['schemas']['ListedSession']

export default function Sessions() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const sessions = useResource(() =>
    allPages<Session>((query) => api.GET('/api/v1/me/sessions', { params: { query } })),
  )
  useFocusAfterRemoval(sessions.data?.items.length)
  const endOthers = useAction(async () => {
    const { failure } = await outcomeOf(api.DELETE('/api/v1/me/sessions'))
    await sessions.reload()
    return failure
  })
  return (
    <Part title={t('settings.sessions.title')}>
      <p className={styles.quiet}>{t('settings.sessions.text')}</p>
      <Loaded of={sessions}>
        {({ items }) => (
          <>
            <Group>
              {items.map((session) => (
                <SessionCard key={session.id} session={session} onChange={sessions.reload} />
              ))}
            </Group>
            {items.length > 1 && (
              <Button look="danger" wide busy={endOthers.busy} onClick={() => endOthers.run()}>
                {t('settings.sessions.endOthers')}
              </Button>
            )}
            <FailureText failure={endOthers.failure} />
          </>
        )}
      </Loaded>
    </Part>
  )
}

function SessionCard({ session, onChange }: { session: Session; onChange: () => void }) {
  const { t, language } = useLanguage()
  const { api } = useConvene()
  const end = useAction(async () => {
    const { failure } = await outcomeOf(
      api.DELETE('/api/v1/me/sessions/{id}', { params: { path: { id: session.id } } }),
    )
    onChange()
    return failure
  })
  const used = new Date(session.last_used_at)
  return (
    <article className={styles.card}>
      <div>
        <h2>{deviceOf(session.user_agent) ?? t('settings.sessions.unknown')}</h2>
        <p className={styles.quiet}>
          {t('settings.sessions.used', { date: dateOf(language, used), time: timeOf(language, used) })}
        </p>
      </div>
      {session.current ? (
        <p>
          <span className={styles.badge}>{t('settings.sessions.current')}</span>
        </p>
      ) : (
        <div className={styles.actions}>
          <Button busy={end.busy} onClick={() => end.run()}>
            {t('settings.sessions.end')}
          </Button>
        </div>
      )}
      <FailureText failure={end.failure} />
    </article>
  )
}
