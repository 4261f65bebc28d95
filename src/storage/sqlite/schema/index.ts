// The migrated tables as Drizzle sees them; test/storage/migrations.test.ts compares the two.
// Times are milliseconds since 1970 in UTC.

export * from './accounts.ts'
export * from './places.ts'
export * from './chats.ts'
export * from './images.ts'
export * from './moderation.ts'
export * from './outbox.ts'
export * from './server.ts'
