import type { Db } from './database.ts'

/** Whether an account is there and not erased: asked inside a write that is about to store something of it. */
export function livingIn(db: Db): (userId: string) => boolean {
  const living = db.$client.prepare<{ id: string }, [string]>(
    'SELECT id FROM users WHERE id = ? AND deleted_at IS NULL',
  )
  return (userId) => living.get(userId) !== null
}
