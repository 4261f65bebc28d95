// Runs the tests of test/app on a cluster: three nodes with one PostgreSQL and one Redis behind nginx, which sends each request
// to a random node. If PostgreSQL, Redis or nginx is missing, it says so and runs nothing.
import { RedisClient, SQL } from 'bun'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

async function missing(): Promise<string | null> {
  if (Bun.which('nginx') === null) return 'nginx'
  const sql = new SQL(process.env.TEST_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres', {
    max: 1,
    connectionTimeout: 3,
  })
  const redis = new RedisClient(process.env.TEST_REDIS_URL || 'redis://127.0.0.1:6379', {
    autoReconnect: false,
    connectionTimeout: 3000,
  })
  const answers = (asked: PromiseLike<unknown>) => asked.then(...[() => true, () => false])
  try {
    if (!(await answers(sql.unsafe('SELECT 1')))) return 'PostgreSQL'
    return (await answers(redis.ping())) ? null : 'Redis'
  } finally {
    await sql.close()
    redis.close()
  }
}

const absent = await missing()
if (absent !== null) {
  console.log(`skipped: no ${absent}`)
} else {
  const tests = Bun.spawn([process.execPath, 'test', '--parallel', '--retry', '1', '--timeout', '60000', 'test/app/'], {
    cwd: root,
    env: { ...process.env, CONVENE_TEST_ENGINE: 'cluster' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  process.exitCode = await tests.exited
}
