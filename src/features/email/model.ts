import { t } from 'elysia'
import { email, newPassword, password } from '../auth/model.ts'
import { object, optional } from '../../http/schema.ts'

const token = t.String({ minLength: 1, maxLength: 200, description: 'The part of the link after `#token=`' })
const tokenExample = 'p1n8dXb0Q0y5mS3hVtC7…'

export const forgotten = t.Object({ email }, { title: 'ForgottenPassword', examples: [{ email: 'ada@example.org' }] })
export const reset = t.Object(
  { token, password: newPassword },
  { title: 'PasswordReset', examples: [{ token: tokenExample, password: 'thirteen green bottles' }] },
)
export const link = t.Object({ token }, { title: 'EmailLink', examples: [{ token: tokenExample }] })
export const change = t.Object(
  { email, password: optional(password) },
  {
    title: 'EmailChange',
    examples: [{ email: 'ada.lovelace@example.org', password: 'thirteen green bottles' }],
  },
)

export const verified = object('VerifiedEmail', { email: t.String(), email_verified: t.Literal(true) })
export const undone = object('RestoredEmail', { email: t.String() })
