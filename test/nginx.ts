import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Null where nginx can be started. */
export const noNginx = Bun.which('nginx') ? null : 'skipped: no nginx'

/** An nginx of its own on a free port, which sends each request and each socket to a random node. */
export async function startNginx(nodes: readonly URL[]) {
  const directory = mkdtempSync(join(tmpdir(), 'convene-nginx-'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`)
  const errors = join(directory, 'error.log')
  const id = crypto.randomUUID()
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = freePort()
    await Bun.write(
      join(directory, 'nginx.conf'),
      `daemon off; master_process off; pid pid; error_log ${errors} error;
      events {}
      http {
        ${paths.join(' ')} access_log off;
        map $http_upgrade $upgraded { default upgrade; '' ''; }
        upstream nodes { random; ${nodes.map(({ host }) => `server ${host} max_fails=0;`).join(' ')} keepalive 16; }
        server {
          listen 127.0.0.1:${port};
          client_max_body_size 0; underscores_in_headers on; keepalive_requests 1000000;
          large_client_header_buffers 8 64k;
          location = /-${id} { return 204; }
          location / {
            proxy_pass http://nodes;
            proxy_http_version 1.1; proxy_next_upstream off; proxy_read_timeout 180s;
            # So that who does not read is seen by the node.
            proxy_buffering off; proxy_buffer_size 16k; proxy_buffers 16 8k;
            proxy_set_header Host $http_host; proxy_set_header User-Agent $http_user_agent;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $upgraded;
          }
        }
      }`,
    )
    const nginx = Bun.spawn(['nginx', '-p', directory, '-c', 'nginx.conf'], { stdout: 'ignore', stderr: 'ignore' })
    const base = new URL(`http://127.0.0.1:${port}`)
    if (!(await answers(new URL(`/-${id}`, base), nginx))) continue
    return {
      base,
      /** Asks any of them, as if that URL were theirs. Tells nothing of this client but what `headers` say. */
      fetch(url: URL, { headers, ...init }: RequestInit): Promise<Response> {
        const ours = new Headers({ host: url.host, 'user-agent': '' })
        for (const [name, value] of new Headers(headers)) ours.set(name, value)
        return fetch(`${base.origin}${url.pathname}${url.search}`, { ...init, headers: ours, redirect: 'manual' })
      },
      async stop() {
        nginx.kill('SIGKILL')
        await nginx.exited
        rmSync(directory, { recursive: true })
      },
    }
  }
  throw new Error(`nginx does not start: ${await Bun.file(errors).text()}`)
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

/** Waits until this very server does. False where it has ended, as where somebody else took the port. */
async function answers(url: URL, child: Bun.Subprocess): Promise<boolean> {
  let ended = false
  void child.exited.then(() => (ended = true))
  for (; !ended; await Bun.sleep(5)) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.status === 204) return true
  }
  return false
}
