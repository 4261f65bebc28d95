import { type Problem, Refused } from 'convene-client'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { T } from './language.tsx'

/** Why a request failed: the server's problem, or that no answer came. */
export type Failure = Problem | 'offline'

export type Outcome<Data> = { data: Data; failure: null } | { data: null; failure: Failure }

type Answer<Data> = { data?: Data; error?: unknown; response: Response }

export const failureOf = (error: unknown): Failure => {
  if (error instanceof Refused) return error.problem
  if (isProblem(error)) return error
  // `fetch` says so where no answer comes.
  if (error instanceof TypeError) return 'offline'
  throw error
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'status' in value

/** Waits for an answer of the API. A lost network is an outcome too. */
export async function outcomeOf<Data>(request: Promise<Answer<Data>>): Promise<Outcome<Data>> {
  try {
    const { data, error, response } = await request
    if (!response.ok) return { data: null, failure: isProblem(error) ? error : unreadable(response) }
    // An answer without a body has no data.
    return { data: data as Data, failure: null }
  } catch (error) {
    return { data: null, failure: failureOf(error) }
  }
}

/** Something between the app and the server has answered. */
function unreadable({ status, statusText }: Response): Problem {
  return { type: 'about:blank', title: statusText, status, detail: '', code: 'internal_error', request_id: '' }
}

/** What happened, and what to do. */
export function failureText(t: T, failure: Failure): string {
  if (failure === 'offline') return t('app.failure.offline')
  switch (failure.code) {
    case 'rate_limited':
      return t('app.failure.rateLimited')
    case 'wrong_password':
      return t('app.failure.wrongPassword')
    case 'forbidden':
      return t('app.failure.signInAgain')
    case 'link_invalid':
      return t('account.link.invalid')
    case 'email_taken':
      return t('app.failure.emailTaken')
    case 'phone_taken':
      return t('app.failure.phoneTaken')
    case 'invalid_credentials':
      return t('account.signIn.wrong')
    case 'invite_required':
      return t('account.signUp.inviteWrong')
    case 'registration_closed':
      return t('account.closed.text')
    case 'init_data_invalid':
    case 'init_data_expired':
      return t('account.telegram.reopen')
    case 'email_not_verified':
      return t('account.verify.needed')
    case 'consents_required':
      return t('account.consents.needed')
    case 'mail_not_configured':
      return t('app.failure.noMail')
    case 'payload_too_large':
      return t('app.failure.photoSize')
    case 'unsupported_media_type':
      return t('app.failure.photoKind')
    case 'suspended':
      return t('account.ended.suspended')
    case 'validation_failed':
      return t('app.failure.fields')
  }
  return failure.status >= 500 ? t('app.failure.server') : t('app.failed')
}

/** The text for a field that the server refused, such as `/email`; null if nothing is wrong with it. */
export function fieldText(t: T, failure: Failure | null, path: string): string | null {
  if (failure === null || failure === 'offline') return null
  const error = failure.errors?.find((each) => each.path === path || each.path.startsWith(`${path}/`))
  if (!error) return null
  switch (error.code) {
    case 'required':
      return t('app.field.required')
    case 'too_short':
      return t('app.field.tooShort')
    case 'too_long':
      return t('app.field.tooLong')
    case 'too_common':
      return t('app.field.tooCommon')
    case 'duplicate':
      return t('app.field.duplicate')
    case 'format':
      return t('app.field.format')
    default:
      return t('app.field.notAllowed')
  }
}

/** Something that a screen reads when it is shown. */
export type Resource<Data> = {
  data: Data | null
  failure: Failure | null
  reload: () => Promise<void>
  /** Shows what is known already, before the server has been asked again. */
  set: (data: Data) => void
}

export function useResource<Data>(ask: () => Promise<Answer<Data>>): Resource<Data> {
  const [state, setState] = useState<{ data: Data | null; failure: Failure | null }>({ data: null, failure: null })
  const asked = useRef(ask)
  const isShown = useRef(true)
  const reload = useCallback(async () => {
    const { data, failure } = await outcomeOf(asked.current())
    if (isShown.current) setState((before) => (failure ? { ...before, failure } : { data, failure: null }))
  }, [])
  useEffect(() => {
    isShown.current = true
    void reload()
    // What could not be read without a network is read when it is back.
    addEventListener('online', reload)
    return () => {
      isShown.current = false
      removeEventListener('online', reload)
    }
  }, [reload])
  const set = useCallback((data: Data) => setState({ data, failure: null }), [])
  return { ...state, reload, set }
}

/** Runs one thing at a time, and keeps why it failed. */
export function useAction<Arguments extends unknown[]>(work: (...given: Arguments) => Promise<Failure | null | void>) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const current = useRef(work)
  current.current = work
  const running = useRef(false)
  const run = useCallback(async (...given: Arguments) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setFailure(null)
    try {
      setFailure((await current.current(...given)) ?? null)
    } catch (error) {
      setFailure(failureOf(error))
    } finally {
      running.current = false
      setBusy(false)
    }
  }, [])
  return { run, busy, failure, setFailure }
}
