/** What a message of the bot looks like to its reader. */
export type Shown = {
  chat: string
  message_id: number
  text: string
  bold: string | null
  button: { text: string; url: string } | null
}

type Payload = Record<string, any>
type Answer = { status: number; body: Payload }
type Poller = { end(answer: Answer): void; offset: number }

export const botToken = '7000000001:AAtests-only_token-of-nobody'

const ok = (result: unknown): Answer => ({ status: 200, body: { ok: true, result } })
export const refusal = (code: number, description: string, parameters?: Payload): Answer => ({
  status: code,
  body: { ok: false, error_code: code, description, ...(parameters && { parameters }) },
})

/**
 * A Bot API server on loopback, made from https://core.telegram.org/bots/api: messages that can be edited and removed, updates
 * by long polling or webhook, and the refusals that a bot has to live with.
 */
export function telegramServer({ token = botToken, name = 'tests_bot' } = {}) {
  const messages = new Map<number, Shown & { removed: boolean }>()
  const calls: { method: string; payload: Payload }[] = []
  const failures = new Map<string, Answer[]>()
  let updates: Payload[] = []
  let poller: Poller | null = null
  let webhook: { url: string; secret_token: string } | null = null
  let lastMessage = 0
  let lastUpdate = 100
  let mostPollers = 0
  let waiting: (() => void)[] = []

  const changed = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }

  function shownOf({ chat_id, text, entities, reply_markup }: Payload, message_id: number) {
    const bold = entities?.find(({ type }: Payload) => type === 'bold')
    return {
      chat: String(chat_id),
      message_id,
      text,
      bold: bold ? text.slice(bold.offset, bold.offset + bold.length) : null,
      button: reply_markup?.inline_keyboard[0][0] ?? null,
      removed: false,
    }
  }

  function deliver() {
    if (poller === null) return
    const { offset, end } = poller
    const found = updates.filter(({ update_id }) => update_id >= offset)
    if (found.length === 0) return
    poller = null
    end(ok(found))
  }

  function getUpdates({ offset = 0, timeout = 0 }: Payload, signal: AbortSignal): Answer | Promise<Answer> {
    if (webhook !== null) return refusal(409, "Conflict: can't use getUpdates method while webhook is active")
    updates = updates.filter(({ update_id }) => update_id >= offset)
    if (updates.length > 0 || timeout === 0) return ok(updates)
    if (poller !== null) mostPollers = 2
    poller?.end(refusal(409, 'Conflict: terminated by other getUpdates request'))
    mostPollers = Math.max(mostPollers, 1)
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const own: Poller = { end: resolve, offset }
    poller = own
    signal.addEventListener('abort', () => {
      if (poller === own) poller = null
    })
    return promise
  }

  const methods: Record<string, (payload: Payload, signal: AbortSignal) => Answer | Promise<Answer>> = {
    getMe: () => ok({ id: 7, is_bot: true, first_name: 'Tests', username: name }),
    sendMessage(payload) {
      const message_id = ++lastMessage
      messages.set(message_id, shownOf(payload, message_id))
      return ok({ message_id, date: Math.floor(Date.now() / 1000), chat: { id: payload.chat_id, type: 'private' } })
    },
    editMessageText(payload) {
      const { message_id } = payload
      const before = messages.get(message_id)
      if (!before || before.removed) return refusal(400, 'Bad Request: message to edit not found')
      const after = shownOf(payload, message_id)
      if (Bun.deepEquals(before, after))
        return refusal(400, 'Bad Request: message is not modified: specified new message content is the same')
      messages.set(message_id, after)
      return ok(true)
    },
    deleteMessage({ message_id }) {
      const message = messages.get(message_id)
      if (!message || message.removed) return refusal(400, 'Bad Request: message to delete not found')
      message.removed = true
      return ok(true)
    },
    getUpdates,
    setWebhook({ url, secret_token }) {
      webhook = { url, secret_token }
      poller?.end(refusal(409, 'Conflict: terminated by setWebhook request'))
      poller = null
      return ok(true)
    },
    deleteWebhook() {
      webhook = null
      return ok(true)
    },
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(new URL(request.url).pathname) ?? []
      if (given !== token) return Response.json(refusal(401, 'Unauthorized').body, { status: 401 })
      const payload = (await request.json().catch(() => ({}))) as Payload
      calls.push({ method, payload })
      const failure = failures.get(method)?.shift()
      const answer = failure ?? (await methods[method]?.(payload, request.signal)) ?? refusal(404, 'Not Found')
      changed()
      if (answer.status === 302) return new Response(null, { status: 302, headers: { location: answer.body.location } })
      return Response.json(answer.body, { status: answer.status })
    },
  })

  return {
    url: `http://127.0.0.1:${server.port}`,
    calls,
    /** The messages that a chat shows, oldest first. */
    shown: (chat: number | string): Shown[] =>
      [...messages.values()]
        .filter((message) => message.chat === String(chat) && !message.removed)
        .map(({ removed: _, ...message }) => message),
    /** Resolves once that is so; it is asked after each call of the bot. */
    async until(isSo: () => boolean | Promise<boolean>) {
      while (!(await isSo())) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.push(resolve)
        // Also what follows from a call is waited for.
        await Promise.race([promise, Bun.sleep(20)])
      }
    },
    /** Answers the next call of a method so. */
    fail(method: string, ...answers: Answer[]) {
      failures.set(method, [...(failures.get(method) ?? []), ...answers])
    },
    /** Somebody does something in the chat with the bot; answers the update. */
    update(from: number, said: Payload, language_code?: string, update_id = ++lastUpdate) {
      const user = { id: from, is_bot: false, first_name: 'Ada', ...(language_code && { language_code }) }
      const { new_chat_member, ...message } = said
      const context = { chat: { id: from, type: 'private' }, from: user, date: 1 }
      const update = new_chat_member
        ? { update_id, my_chat_member: { ...context, new_chat_member } }
        : { update_id, message: { message_id: 1, ...context, ...message } }
      return update
    },
    /** Gives updates to whoever polls. */
    give(...given: Payload[]) {
      updates.push(...given)
      deliver()
    },
    /** Another program that polls with this token. */
    async pollOnce() {
      const response = await fetch(`http://127.0.0.1:${server.port}/bot${token}/getUpdates`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ timeout: 1, offset: 0 }),
        signal: AbortSignal.timeout(200),
      }).catch(() => null)
      return response?.status
    },
    isPolled: () => poller !== null,
    mostPollers: () => mostPollers,
    webhook: () => webhook,
    close: () => server.stop(true),
  }
}
