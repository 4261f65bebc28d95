import { defineConfig } from 'drizzle-kit'

// For `drizzle-kit studio` and `drizzle-kit check`. The migrations themselves are the hand-written SQL in `migrations/`,
// which the server applies at start: Drizzle's own have no step down.
export default defineConfig({
  dialect: 'sqlite',
  schema: './src/storage/sqlite/schema.ts',
  out: './node_modules/.cache/drizzle',
  dbCredentials: { url: './data/convene.db' },
})
