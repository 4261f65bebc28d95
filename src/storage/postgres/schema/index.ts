// The migrated tables as Drizzle sees them; test/process/migrations-postgres.test.ts compares the two.
// Times are milliseconds since 1970 in UTC. JSON is text: `JSON.stringify` on the way in, `JSON.parse` on the way out.
//
// The first column of each primary key is the shard key. These are unique over all shards, and so need a look-up on all: email,
// phone and messenger_id of users, the pair of a chat, a sender's client_id, and the one open report of a thing.

export * from './accounts.ts'
export * from './places.ts'
export * from './chats.ts'
export * from './images.ts'
export * from './moderation.ts'
export * from './outbox.ts'
export * from './server.ts'
