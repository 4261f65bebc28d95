import { accounts } from './accounts.ts'
import { chats } from './chats.ts'
import type { SchemaBuilders } from './columns.ts'
import { images } from './images.ts'
import { moderation } from './moderation.ts'
import { outbox } from './outbox.ts'
import { places } from './places.ts'
import { server } from './server.ts'

/**
 * The migrated tables as Drizzle sees them; `test/storage/migrations.test.ts` and `test/process/migrations-postgres.test.ts`
 * compare the two. Times are milliseconds since 1970 in UTC.
 *
 * The first column of each primary key of PostgreSQL would be its shard key.
 */
export const tablesOf = (builders: SchemaBuilders) => ({
  ...accounts(builders),
  ...places(builders),
  ...chats(builders),
  ...images(builders),
  ...moderation(builders),
  ...outbox(builders),
  ...server(builders),
})
