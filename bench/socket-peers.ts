import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Greeting } from './listeners.ts'
import { freePort, type Server, start } from './process.ts'

/** A server that keeps sockets open, and tells those of an id what is published to it. */
export type Peer = {
  name: string
  startServer(): Promise<Server>
  socketUrl(server: Server, id: string): string
  greeting: Greeting
  /** A request that reaches the other sockets, as a send does. */
  publishTo(server: Server, id: string): { url: URL; body: string }
}

const nchanModule = '/usr/lib/nginx/modules/ngx_nchan_module.so'
const webSocketUrl = (server: Server, path: string) => `${server.url.origin.replace('http', 'ws')}${path}`

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'convene-bench-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** nginx with nchan, which keeps a hundred messages of each channel in memory and sends a newcomer what it missed. */
const nchan: Peer = {
  name: 'nchan',
  startServer() {
    const dir = temporaryDir()
    const port = freePort()
    writeFileSync(
      join(dir, 'nginx.conf'),
      `load_module ${nchanModule};
      daemon off; worker_processes 1; worker_rlimit_nofile 20000; pid ${dir}/pid; error_log ${dir}/errors crit;
      events { worker_connections 19000; }
      http {
        access_log off; nchan_shared_memory_size 512M;
        server {
          listen 127.0.0.1:${port};
          location = /answer { return 200; }
          location ~ ^/ws/(.+)$ {
            nchan_subscriber websocket; nchan_channel_id $1; nchan_subscriber_first_message oldest; nchan_websocket_ping_interval 60;
          }
          location ~ ^/publish/(.+)$ {
            nchan_publisher; nchan_channel_id $1; nchan_message_buffer_length 100; nchan_message_timeout 1h;
          }
        }
      }`,
    )
    return start({
      command: ['nginx', '-c', join(dir, 'nginx.conf'), '-p', dir],
      url: new URL(`http://127.0.0.1:${port}`),
      path: '/answer',
    })
  },
  socketUrl: (server, id) => webSocketUrl(server, `/ws/${id}`),
  greeting: {},
  publishTo: (server, id) => ({ url: new URL(`/publish/${id}`, server.url), body: 'shall we meet at noon?' }),
}

const xmpp = {
  open: '<open xmlns="urn:ietf:params:xml:ns:xmpp-framing" to="localhost" version="1.0"/>',
  signIn: '<auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="ANONYMOUS"/>',
  bind: '<iq type="set" id="b" xmlns="jabber:client"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/></iq>',
  resume: '<enable xmlns="urn:xmpp:sm:3" resume="true"/>',
}

/** ejabberd with XMPP over WebSockets, in sessions without an account that can be resumed for five minutes. */
const ejabberd: Peer = {
  name: 'ejabberd',
  startServer() {
    const dir = temporaryDir()
    const port = freePort()
    writeFileSync(
      join(dir, 'ejabberd.yml'),
      `hosts: [localhost]
loglevel: error
acme: {auto: false}
auth_method: anonymous
anonymous_protocol: sasl_anon
listen:
  - {port: ${port}, ip: 127.0.0.1, module: ejabberd_http, backlog: 512, request_handlers: {/ws: ejabberd_http_ws, /api: mod_http_api}}
access_rules: {c2s: {allow: all}}
api_permissions: {bench: {from: [mod_http_api], who: all, what: "*"}}
websocket_ping_interval: 60
websocket_timeout: 300
modules: {mod_admin_extra: {}, mod_stream_mgmt: {resume_timeout: 300}}
`,
    )
    const command = `erl +K true +P 250000 +Q 20000 -noinput -mnesia dir '"${dir}/mnesia"' -s ejabberd`
    return start({
      command: ['sh', '-c', `exec ${command} > ${dir}/out 2>&1`],
      env: {
        EJABBERD_CONFIG_PATH: join(dir, 'ejabberd.yml'),
        EJABBERD_LOG_PATH: join(dir, 'log'),
        ERL_LIBS: '/usr/lib/x86_64-linux-gnu',
        ERL_MAX_PORTS: '20000',
      },
      url: new URL(`http://127.0.0.1:${port}`),
      path: '/api/status',
    })
  },
  socketUrl: (server) => webSocketUrl(server, '/ws'),
  greeting: {
    protocol: 'xmpp',
    script: [
      ...['', xmpp.open, '<mechanisms', xmpp.signIn, '<success', xmpp.open],
      ...['<bind', xmpp.bind, "type='result'", xmpp.resume, '<enabled'],
    ],
  },
  publishTo: (server, id) => ({
    url: new URL('/api/send_message', server.url),
    body: JSON.stringify({
      type: 'chat',
      from: `a@localhost`,
      to: `${id}@localhost`,
      subject: '',
      body: 'shall we meet at noon?',
    }),
  }),
}

const socketIoVersion = '4.8.4'

/** socket.io on Bun with the recovery of the connection's state, and a room for each. */
const socketIo: Peer = {
  name: 'socket.io',
  startServer() {
    const dir = socketIoDir()
    const port = freePort()
    return start({
      command: [process.execPath, join(dir, 'server.ts')],
      env: { PORT: String(port) },
      url: new URL(`http://127.0.0.1:${port}`),
      path: '/answer',
    })
  },
  socketUrl: (server, id) => webSocketUrl(server, `/socket.io/?EIO=4&transport=websocket&room=${id}`),
  greeting: { script: ['0{', '40', '40{'] },
  publishTo: (server, id) => ({ url: new URL(`/publish/${id}`, server.url), body: 'shall we meet at noon?' }),
}

function socketIoDir(): string {
  const dir = join(import.meta.dir, '../node_modules/.cache/bench/socket.io')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), '{ "private": true }')
  writeFileSync(
    join(dir, 'server.ts'),
    `import { createServer } from 'node:http'
    import { Server } from 'socket.io'
    const http = createServer((request, response) => {
      const room = request.url!.split('/publish/')[1]
      if (room) io.to(room).emit('message', 'shall we meet at noon?')
      response.end()
    })
    const io = new Server(http, { connectionStateRecovery: {}, pingInterval: 600_000, transports: ['websocket'] })
    io.on('connection', (socket) => void socket.join(String(socket.handshake.query.room)))
    http.listen(Number(process.env.PORT), '127.0.0.1', 512)`,
  )
  if (!existsSync(join(dir, 'node_modules/socket.io'))) {
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'add', '--exact', `socket.io@${socketIoVersion}`], {
      cwd: dir,
    })
    if (exitCode !== 0) throw new Error(`socket.io could not be installed: ${stderr}`)
  }
  return dir
}

/** Those that this machine has. */
export function socketPeers(): Peer[] {
  const peers = [socketIo]
  if (existsSync(nchanModule) && Bun.which('nginx')) peers.unshift(nchan)
  else console.error('nchan is not there (apt-get install nginx libnginx-mod-nchan): its column is missing')
  if (Bun.which('ejabberdctl') && Bun.which('erl')) peers.push(ejabberd)
  else console.error('ejabberd is not there (apt-get install ejabberd): its column is missing')
  return peers
}
