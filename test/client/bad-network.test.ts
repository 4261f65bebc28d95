import { expect, test } from 'bun:test'
import { testApp } from '../app.ts'
import { rounds } from './rounds.ts'

// The long form: CONVENE_ROUNDS=1000, and CONVENE_TEST_ENGINE=cluster for several nodes with PostgreSQL and Redis.
const count = Number(process.env.CONVENE_ROUNDS ?? 50)
const seed = Number(process.env.CONVENE_SEED ?? 1)

test(
  `each event comes once and in order, and each message is sent once, over ${count} rounds of a bad network`,
  async () => {
    const told = await rounds(await testApp(), count, seed)
    expect(told.cuts).toBeGreaterThan(0)
    if (process.env.CONVENE_ROUNDS) console.log(`seed ${seed}:`, told)
  },
  60_000 + count * 2000,
)
