import type { Db } from './database.ts'

/** Whether an account exists and is not erased. Call it inside a write that stores data of the account. */
export function livingIn(db: Db): (userId: string) => boolean {
  const living = db.$client.prepare<{ id: string }, [string]>(
    'SELECT id FROM users WHERE id = ? AND deleted_at IS NULL',
  )
  return (userId) => living.get(userId) !== null
}
