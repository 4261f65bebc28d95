import { t } from 'elysia'
import { email, newPassword, password } from '../auth/model.ts'
import { optional } from '../../http/schema.ts'

const token = t.String({ minLength: 1, maxLength: 200, description: 'Of the link: what follows `#token=`' })
const tokenExample = 'p1n8dXb0Q0y5mS3hVtC7…'

export const forgotten = t.Object({ email }, { examples: [{ email: 'ada@example.org' }] })
export const reset = t.Object(
  { token, password: newPassword },
  { examples: [{ token: tokenExample, password: 'thirteen green bottles' }] },
)
export const link = t.Object({ token }, { examples: [{ token: tokenExample }] })
export const change = t.Object({ email, password: optional(password) })

export const verified = t.Object({ email: t.String(), email_verified: t.Literal(true) })
export const undone = t.Object({ email: t.String() })
