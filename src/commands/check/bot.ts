import type { Config } from '../../config.ts'
import { messageOf } from '../../lib/errors.ts'
import { openTelegram } from '../../outbox/telegram/api.ts'
import { fine, type Finding, wrong } from './finding.ts'

/** Whether Telegram knows the bot. Sends no message and leaves updates to the server. */
export async function* bot({
  messengerBot,
  messengerBotToken: token,
  messengerApiUrl,
}: Config): AsyncGenerator<Finding> {
  if (!messengerBot || token === null) return
  try {
    const name = await openTelegram({ token, apiUrl: messengerApiUrl }).name()
    yield fine(`MESSENGER_BOT_TOKEN is the token of the bot @${name}`)
  } catch (error) {
    yield wrong(
      `the bot cannot be reached: ${messageOf(error)}`,
      'check MESSENGER_BOT_TOKEN (401 means that it is not valid), MESSENGER_API_URL, and whether a firewall blocks the connection',
    )
  }
}
