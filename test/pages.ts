import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command } from './convene.ts'
import { refuseSecrets } from './unsaid.ts'

const root = join(import.meta.dir, '..')

// A page takes some seconds; one that hangs must not hang the tests.
const patienceMs = 60_000

/**
 * A fenced block of a page. `reason` says why it is not run; `announced` are the HTTP errors that it leads to, by the line
 * after it: `→ 403 …`, or by its own comments.
 */
export type Block = { line: number; language: string; code: string; reason: string | null; announced: number[] }

export type Page = { path: string; text: string; blocks: Block[] }

/** What a page's blocks came to: `failure` is null where all of them ran. */
export type Run = { failure: string | null; output: string; answers: Answers[] }

/** The HTTP errors that a block met, and those that were announced. */
type Answers = { line: number; met: number[]; announced: number[] }

/** What a run needs that a machine may not have. */
export const missingTools = ['bash', 'curl'].filter((tool) => Bun.which(tool) === null)

export async function readPage(path: string): Promise<Page> {
  const text = await Bun.file(join(root, path)).text()
  return { path, text, blocks: blocksOf(text) }
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let open: Block | null = null
  let reason: string | null = null
  for (const [index, whole] of text.split('\n').entries()) {
    // In a list, fences and comments are indented.
    const line = whole.trim()
    if (open) {
      if (line === '```') open = null
      else {
        open.code += `${whole}\n`
        open.announced.push(...statusesIn(/\/\/ ([45]\d\d)\b/g, line))
      }
    } else if (line.startsWith('```')) {
      open = { line: index + 1, language: line.slice(3), code: '', reason, announced: [] }
      blocks.push(open)
      reason = null
    } else if (line !== '') {
      reason = /^<!-- not run: (.+) -->$/.exec(line)?.[1] ?? null
      if (whole.startsWith('→ ')) blocks.at(-1)!.announced.push(...statusesIn(/\b([45]\d\d) `/g, line))
    }
  }
  return blocks
}

const statusesIn = (pattern: RegExp, line: string) => [...line.matchAll(pattern)].map(([, status]) => Number(status))

/** The name that a TypeScript block is to be saved under, from its first line: `// chat.ts`. */
export const fileNameOf = ({ code }: Block) => /^\/\/ ([\w-]+\.ts)$/m.exec(code.split('\n', 1)[0]!)?.[1] ?? null

// A command that stays: the server is started in the background, and the next block runs once it is ready.
export const startsServer = ({ code }: Block) => /(?:\bstart|(?:convene|src\/main\.ts)(?: serve)?)\n$/.test(code)

/**
 * Runs a page's blocks in order, as a reader would in one terminal: shell blocks in one bash, servers in the background,
 * TypeScript blocks saved under their name, or else run with bun. All in a directory of its own, on ports of its own. Throws
 * where a server has logged a secret.
 */
export async function runPage({ path, blocks }: Page, patience = patienceMs): Promise<Run> {
  const directory = mkdtempSync(join(tmpdir(), 'convene-docs-'))
  try {
    const ports = new Map<string, number>()
    const withPorts = (text: string) =>
      text.replaceAll(/\b(127\.0\.0\.1:|PORT=)(30\d\d)\b/g, (_, before: string, port: string) => {
        if (!ports.has(port)) ports.set(port, freePort())
        return `${before}${ports.get(port)}`
      })
    withPorts('PORT=3000')
    const run = blocks.filter(({ language, reason }) => reason === null && (language === 'sh' || language === 'ts'))
    const steps: string[] = []
    for (const block of run) steps.push(await step({ ...block, code: withPorts(block.code) }, directory))
    layTools(directory)
    await Bun.write(join(directory, '.tools/page.sh'), prelude + steps.join('\n'))
    const child = Bun.spawn(['bash', join(directory, '.tools/page.sh')], {
      // What is in the checkout is worked on there; all else must leave nothing behind in it.
      cwd: path === 'CONTRIBUTING.md' ? root : directory,
      env: {
        PATH: `${join(directory, '.tools')}:${process.env.PATH}`,
        HOME: directory,
        TOOLS: join(directory, '.tools'),
        PORT: String(ports.get('3000')),
      },
      // Closed by us, or because we are gone, it ends the page with all that it has started: see the prelude.
      stdin: 'pipe',
      detached: true,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const timer = setTimeout(() => child.stdin.end(), patience)
    const [printed, complaints, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    clearTimeout(timer)
    child.stdin.end()
    for (const name of readdirSync(join(directory, '.tools')).filter((entry) => entry.startsWith('server-')))
      refuseSecrets(await Bun.file(join(directory, '.tools', name)).text())
    const log = await Bun.file(join(directory, '.tools/answers')).text()
    const answers = answersOf(log, run)
    const last = answers.at(-1)?.line
    return {
      failure: code === 0 ? null : `the block at ${path}:${last} ended with exit code ${code}`,
      output: `${printed}\n${complaints}`,
      answers,
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function step(block: Block, directory: string): Promise<string> {
  const { line, language, code } = block
  const begin = `echo "block ${line}" >> "$TOOLS/answers"`
  if (language === 'ts') {
    const name = fileNameOf(block)
    await Bun.write(join(directory, name ?? `block-${line}.ts`), code)
    return name === null ? `${begin}\nbun block-${line}.ts` : begin
  }
  if (!startsServer(block)) return `${begin}\n${code}`
  const port = /\bPORT=(\d+)/.exec(code)?.[1] ?? '$PORT'
  return `${begin}\nstop_server ${port}\n${code.trimEnd()} >> "$TOOLS/server-${port}" 2>&1 &\nserver_ready ${port} $!`
}

const prelude = `exec 9<&0 < /dev/null
(cat <&9; kill -KILL 0) > /dev/null 2>&1 &
disown
set -eo pipefail
declare -A servers
trap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT

stop_server() {
  [ -n "\${servers[$1]}" ] || return 0
  kill "\${servers[$1]}"
  wait "\${servers[$1]}"
  unset "servers[$1]"
}

server_ready() {
  servers[$1]=$2
  for _ in {1..600}; do
    if "$TOOLS/real-curl" -sf -o /dev/null "http://127.0.0.1:$1/health"; then return 0; fi
    if ! kill -0 "$2" 2> /dev/null; then break; fi
    sleep 0.05
  done
  echo "the server on port $1 did not come up:" >&2
  cat "$TOOLS/server-$1" >&2
  return 1
}
`

/** Puts what readers have before the real tools: commands that note the status of every HTTP answer, and the checkout. */
function layTools(directory: string) {
  const tool = (name: string, script: string) => writeFileSync(join(directory, '.tools', name), script, { mode: 0o755 })
  mkdirSync(join(directory, '.tools'))
  writeFileSync(join(directory, '.tools/answers'), '')
  symlinkSync(Bun.which('curl')!, join(directory, '.tools/real-curl'))
  tool(
    'curl',
    `#!/usr/bin/env bash
headers=$TOOLS/headers-$$
"$TOOLS/real-curl" -D "$headers" "$@"
code=$?
status=
[ ! -e "$headers" ] || while read -r version number _; do case $version in HTTP*) status=$number ;; esac; done < "$headers"
[ -z "$status" ] || echo "$status" >> "$TOOLS/answers"
exit $code
`,
  )
  const convene = command.map((word) => `'${word}'`).join(' ')
  tool('convene', `#!/usr/bin/env bash\nexec ${convene} "$@"\n`)
  // What `bun start` installs is there already.
  tool(
    'bun',
    `#!/usr/bin/env bash
case "$1" in
  start) shift; exec ${convene} serve "$@" ;;
  src/main.ts) shift; exec ${convene} "$@" ;;
  *.ts) exec '${process.execPath}' --preload "$TOOLS/fetch.ts" "$@" ;;
  *) exec '${process.execPath}' "$@" ;;
esac
`,
  )
  tool('npx', `#!/usr/bin/env bash\nshift\nexec "$TOOLS/bun" "$@"\n`)
  tool(
    'fetch.ts',
    `import { appendFileSync } from 'node:fs'
const real = globalThis.fetch
globalThis.fetch = Object.assign(async (...args: Parameters<typeof fetch>) => {
  const response = await real(...args)
  appendFileSync(process.env.TOOLS + '/answers', response.status + '\\n')
  return response
}, real)
`,
  )
}

function answersOf(log: string, run: readonly Block[]): Answers[] {
  const answers: Answers[] = []
  for (const entry of log.trim().split('\n')) {
    const line = /^block (\d+)$/.exec(entry)?.[1]
    if (line === undefined) {
      if (Number(entry) >= 400) answers.at(-1)?.met.push(Number(entry))
      continue
    }
    const { announced } = run.find((block) => block.line === Number(line))!
    answers.push({ line: Number(line), met: [], announced })
  }
  return answers
}

/** A port of this machine that is free now. */
export function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = server
  server.stop(true)
  return port
}
