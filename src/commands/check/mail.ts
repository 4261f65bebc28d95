import type { Config } from '../../config.ts'
import { messageOf } from '../../lib/errors.ts'
import { openMailCarrier } from '../../outbox/mail/open.ts'
import { fine, type Finding, wrong } from './finding.ts'

/** Whether the mail server can be reached and accepts the login. Sends no mail. */
export async function* mail(config: Config): AsyncGenerator<Finding> {
  const carrier = openMailCarrier(config, new Uint8Array(32))
  if (carrier === null || config.smtpUrl === null) return
  const { host } = new URL(config.smtpUrl)
  try {
    await carrier.probe()
    yield fine(`the mail server ${host} can be reached and accepts the login`)
  } catch (error) {
    yield wrong(
      `the mail server ${host} does not work: ${messageOf(error)}`,
      'check SMTP_URL: scheme, host, port, user and password, percent-encoded; then convene mail test you@example.org',
    )
  } finally {
    carrier.close()
  }
}
