import { useConvene } from 'convene-client/react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { TextArea } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { keptDrafts } from '../../shared/kept-drafts.ts'
import { useDraft } from '../drafts.ts'
import { failureBeside } from '../field-errors.ts'
import { useLanguage } from '../language.tsx'
import { Proposal, type Strike, StrikeChoice, type Term, TermChoice, untilOf } from '../queue/decision.tsx'
import { excessText, type Failure, outcomeOf, useAction, useLastFailure } from '../requests.ts'
import { useStaff } from '../staff.tsx'
import detailStyles from '../ui/detail.module.css'
import { AskFirst } from '../ui/ask-first.tsx'
import { Choice } from '../ui/choice.tsx'
import { NoDetail } from '../ui/detail.tsx'
import { FailureAt, FailureText } from '../ui/failure.tsx'
import { focusHeading } from '../ui/focus.ts'
import { Badge, Facts, Section } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import styles from './people.module.css'
import { isGone, type Person, roles, usePerson } from './person-record.ts'
import { Decisions, factsOf, OtherReports, StandingBadge } from './summary.tsx'

type PageProps = {
  id: string
  back: ReactNode
  /** Called with the account whenever it has been read, which is also after each change. */
  onRead: (person: Person) => void
}

/** Somebody's account, and the actions on it. */
export function PersonPage({ id, back, onRead }: PageProps) {
  const { t } = useLanguage()
  const { data, failure, reload } = usePerson(id)
  useEffect(() => {
    if (data) onRead(data)
  }, [data, onRead])
  if (data === null) return <NoDetail title={t('people.one')} back={back} failure={failure} reload={reload} />
  return <Known person={data} back={back} onChange={reload} />
}

type Props = { person: Person; onChange: () => Promise<void> }

/** If the account is erased by now, what is shown of it goes as well. */
async function refused(failure: Failure, onChange: Props['onChange']): Promise<Failure> {
  if (isGone(failure)) await onChange()
  return failure
}

function Known({ person, back, onChange }: Props & { back: ReactNode }) {
  const { t } = useLanguage()
  const { isAdmin } = useStaff()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  // An action that changes the account may remove its own button.
  useEffect(() => focusHeading(), [person])
  const { id, name, email, email_verified, phone, identities, sessions } = person
  return (
    <article className={detailStyles.item} aria-label={t('people.one')}>
      <header className={detailStyles.head}>
        {back}
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{name ?? t('people.nameless')}</bdi>
        </h1>
        <StandingBadge person={person} />
      </header>
      <div className={detailStyles.columns}>
        <div className={detailStyles.main}>
          <Section title={t('people.account')}>
            <Facts
              facts={[
                ...factsOf(person, t),
                [t('people.id'), <code key="id">{id}</code>],
                [
                  t('people.email'),
                  email && (
                    <>
                      {email} {!email_verified && <Badge tone="notice">{t('people.unverified')}</Badge>}
                    </>
                  ),
                ],
                [t('people.phone'), phone],
              ]}
            />
          </Section>
          {identities && (
            <Section title={t('people.waysIn')}>
              <ul className={styles.others}>
                {identities.map((identity) => (
                  <li key={identity.id}>
                    <span>{t(`people.identity.${identity.kind}`)}</span>
                    {identity.kind !== 'password' && <span className={styles.quiet}>{identity.label}</span>}
                    <span className={styles.quiet}>{identity.last_used_at && <Ago at={identity.last_used_at} />}</span>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {sessions && (
            <Section title={t('people.sessions')}>
              {sessions.length === 0 && <p className={styles.quiet}>{t('people.noSessions')}</p>}
              <ul className={styles.others}>
                {sessions.map((session) => (
                  <li key={session.id}>
                    <span className={styles.agent}>{session.user_agent ?? t('people.noAgent')}</span>
                    <span className={styles.quiet}>
                      <Ago at={session.last_used_at} />
                    </span>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Decisions person={person} />
          <OtherReports id={id} title={t('people.allReports')} />
        </div>
        <div className={detailStyles.side}>
          <Measures person={person} onChange={onChange} />
          {isAdmin && <ForAdmins person={person} onChange={onChange} />}
        </div>
      </div>
    </article>
  )
}

type Draft = { reason: string; note: string; strike: Strike; term: Term }
const blank: Draft = { reason: '', note: '', strike: '0', term: '7' }
const drafts = keptDrafts<Draft>('people')

/** Warns, suspends, changes a suspension and lifts it, without a report. */
function Measures({ person, onChange }: Props) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [{ reason, note, strike, term }, change] = useDraft(drafts, person.id, blank)
  const params = { path: { id: person.id } }
  const after = async (failure: Failure | null, text: string) => {
    if (failure) return refused(failure, onChange)
    change({ reason: '', note: '', strike: '0' })
    toast(text)
    await onChange()
    return null
  }
  const isSuspended = person.standing === 'suspended'
  const failed = useLastFailure()
  const suspend = useAction(async () => {
    const body = { reason: reason.trim(), note: note.trim() || null, until: untilOf(term) }
    const { failure } = await outcomeOf(api.POST('/api/v1/admin/users/{id}/suspend', { params, body }))
    return after(failure, t(isSuspended ? 'people.suspensionChanged' : 'people.suspended'))
  }, failed)
  const warn = useAction(async () => {
    const body = { reason: reason.trim(), note: note.trim() || null, strikes: Number(strike) }
    const { failure } = await outcomeOf(api.POST('/api/v1/admin/users/{id}/warn', { params, body }))
    return after(failure, t('people.warned'))
  }, failed)
  const lift = useAction(async () => {
    const body = { reason: reason.trim() || null }
    const { failure } = await outcomeOf(api.POST('/api/v1/admin/users/{id}/unsuspend', { params, body }))
    return after(failure, t('people.lifted'))
  }, failed)
  // Nobody can suspend an admin.
  if (person.role === 'admin') return null
  const reasonExcess = excessText(t, reason, 1000)
  const noteExcess = excessText(t, note, 2000)
  const isReady = reason.trim() !== '' && reasonExcess === null && noteExcess === null
  const suspendLabel = t(isSuspended ? 'people.changeSuspension' : 'people.suspend')
  return (
    <Section title={t(isSuspended ? 'people.changeOrLift' : 'people.decide')}>
      <div className={styles.form}>
        <Proposal of={person} />
        <TextArea
          label={t('decision.reason')}
          hint={t(isSuspended ? 'people.liftHint' : 'people.suspendHint')}
          value={reason}
          error={reasonExcess}
          onChange={(event) => change({ reason: event.target.value })}
        />
        <TextArea
          label={t('decision.remark')}
          rows={1}
          value={note}
          error={noteExcess}
          onChange={(event) => change({ note: event.target.value })}
        />
        {!isSuspended && (
          <>
            <p className={styles.quiet} aria-hidden>
              {t('people.warnStrikes')}
            </p>
            <StrikeChoice value={strike} onChange={(chosen) => change({ strike: chosen })} />
            <Button busy={warn.busy} aria-disabled={!isReady || undefined} onClick={() => isReady && warn.run()}>
              {t('people.warn')}
            </Button>
          </>
        )}
        <p className={styles.quiet} aria-hidden>
          {t(isSuspended ? 'people.termFromNow' : 'decision.term')}
        </p>
        <TermChoice value={term} onChange={(chosen) => change({ term: chosen })} />
        <FailureAt path="/until" failure={failed[0]} />
        {!isReady ? (
          <Button look="danger" aria-disabled>
            {suspendLabel}
          </Button>
        ) : (
          <AskFirst
            label={suspendLabel}
            question={
              isSuspended
                ? t('people.changeSuspensionAsk')
                : t('people.suspendAsk', { name: person.name ?? t('people.nameless') })
            }
            busy={suspend.busy}
            onConfirm={suspend.run}
          />
        )}
        <FailureText failure={failureBeside(failed[0], ['/until'])} />
        {isSuspended && (
          <Button busy={lift.busy} onClick={lift.run}>
            {t('people.lift')}
          </Button>
        )}
      </div>
    </Section>
  )
}

function ForAdmins({ person, onChange }: Props) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const params = { path: { id: person.id } }
  const endSessions = useAction(async () => {
    const { failure } = await outcomeOf(api.POST('/api/v1/admin/users/{id}/sessions/end', { params }))
    if (failure) return refused(failure, onChange)
    toast(t('people.sessionsEnded'))
    await onChange()
    return null
  })
  const sendLink = useAction(async () => {
    const { failure } = await outcomeOf(api.POST('/api/v1/admin/users/{id}/password-reset', { params }))
    if (failure) return refused(failure, onChange)
    toast(t('people.linkSent'))
    return null
  })
  const setRole = useAction(async (role: (typeof roles)[number]) => {
    const { failure } = await outcomeOf(api.POST('/api/v1/admin/users/{id}/role', { params, body: { role } }))
    if (failure) return refused(failure, onChange)
    toast(t('people.roleChanged'))
    await onChange()
    return null
  })
  const [role, chooseRole] = useState(person.role)
  return (
    <Section title={t('people.access')}>
      <div className={styles.form}>
        <AskFirst
          label={t('people.endSessions')}
          question={t('people.endSessionsAsk')}
          busy={endSessions.busy}
          onConfirm={endSessions.run}
        />
        <FailureText failure={endSessions.failure} />
        {person.email != null && (
          <>
            <Button busy={sendLink.busy} onClick={sendLink.run}>
              {t('people.sendLink')}
            </Button>
            <FailureText failure={sendLink.failure} />
          </>
        )}
        <Choice
          label={t('people.role')}
          value={role}
          onChange={chooseRole}
          options={roles.map((value) => ({ value, label: t(`console.role.${value}`) }))}
        />
        {role !== person.role && (
          <AskFirst
            label={t('people.changeRole')}
            question={t('people.changeRoleAsk', { role: t(`console.role.${role}`) })}
            busy={setRole.busy}
            onConfirm={() => setRole.run(role)}
          />
        )}
        <FailureText failure={setRole.failure} conflict={t('people.lastAdmin')} />
      </div>
    </Section>
  )
}
