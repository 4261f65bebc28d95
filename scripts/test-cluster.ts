// Runs the tests that ask the app over HTTP and sockets on a cluster: three nodes on one PostgreSQL and one Redis, each
// request at a random one of them, through nginx. Where one of the three is missing, says so and runs nothing.
import { RedisClient, SQL } from 'bun'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Test files that make an app, and would test nothing of a cluster. */
const ofOneNode: Record<string, string> = {
  'backup.test.ts': 'a file of SQLite',
  'cli.test.ts': 'commands, on a file of SQLite',
  'copy.test.ts': 'a file of SQLite',
  'docs.test.ts': 'servers of its own',
  'drain.test.ts': 'servers of its own',
  'jobs.test.ts': 'no requests',
  'nodes.test.ts': 'nodes of its own',
  'query-plan.test.ts': 'statements of SQLite',
  'redis-away.test.ts': 'nodes of its own',
  'redis-cluster.test.ts': 'nodes of its own',
  'rolling.test.ts': 'servers of its own',
  's3-backup.test.ts': 'a file of SQLite',
  's3-photos.test.ts': 'a bucket that fails for one node',
  's3-serve.test.ts': 'servers of its own',
  'scaling-walk.test.ts': 'nodes of its own',
  'seed.test.ts': 'a file of SQLite',
  'shared-limits.test.ts': 'nodes of its own',
  'unsaid.test.ts': 'the log of one server',
}

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
  const files = readdirSync(join(root, 'test')).filter(
    (name) =>
      name.endsWith('.test.ts') &&
      !(name in ofOneNode) &&
      / from '\.\/(app|community)\.ts'/.test(readFileSync(join(root, 'test', name), 'utf8')),
  )
  const tests = Bun.spawn(
    [process.execPath, 'test', '--parallel', '--timeout', '60000', ...files.map((name) => join('test', name))],
    { cwd: root, env: { ...process.env, CONVENE_TEST_ENGINE: 'cluster' }, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  process.exitCode = await tests.exited
}
