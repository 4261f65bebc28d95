import { simpleParser, type ParsedMail } from 'mailparser'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type Received = ParsedMail & { raw: string; recipients: string[] }

/** What the server does with the next mails; it takes them where nothing is said. */
export type Behaviour =
  'accept' | 'refuse the sender' | 'refuse the recipient' | 'refuse temporarily' | 'cut in the middle' | 'hang'

/** A self-signed certificate for localhost. */
export function certificate(): { key: string; cert: string } {
  const directory = mkdtempSync(join(tmpdir(), 'convene-tls-'))
  try {
    const made = Bun.spawnSync([
      ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '1', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', join(directory, 'key.pem'), '-out', join(directory, 'cert.pem')],
    ])
    if (made.exitCode !== 0) throw new Error(`openssl: ${made.stderr.toString()}`)
    return {
      key: readFileSync(join(directory, 'key.pem'), 'utf8'),
      cert: readFileSync(join(directory, 'cert.pem'), 'utf8'),
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** A real SMTP server on a free port of this machine. `user` and `password` make it ask for them. */
export async function smtpServer({
  secure = false,
  tls,
  user,
  password,
  port = 0,
}: {
  secure?: boolean
  tls?: { key: string; cert: string }
  user?: string
  password?: string
  port?: number
} = {}) {
  const mails: Received[] = []
  const waiting: (() => void)[] = []
  const server: { behaviour: Behaviour } = { behaviour: 'accept' }
  const failure = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code })
  const options: SMTPServerOptions = {
    secure,
    ...tls,
    authOptional: user === undefined,
    disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(user === undefined ? ['AUTH'] : [])],
    logger: false,
    onAuth(auth, _, done) {
      if (auth.username === user && auth.password === password) done(null, { user: auth.username })
      else done(failure(535, 'wrong user or password'))
    },
    onMailFrom(_address, _session, done) {
      if (server.behaviour === 'refuse the sender') return done(failure(530, 'authentication required'))
      done()
    },
    onRcptTo(_address, _session, done) {
      if (server.behaviour === 'refuse the recipient')
        return done(failure(550, 'no such mailbox: <secret@example.org>'))
      if (server.behaviour === 'refuse temporarily') return done(failure(451, 'try again later'))
      done()
    },
    onData(stream, session, done) {
      if (server.behaviour === 'hang') return void stream.resume()
      if (server.behaviour === 'cut in the middle') {
        stream.once('data', () => connections.forEach((socket) => socket.destroy()))
        return void stream.resume()
      }
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString()
        void simpleParser(raw).then((parsed) => {
          mails.push(Object.assign(parsed, { raw, recipients: session.envelope.rcptTo.map(({ address }) => address) }))
          done()
          for (const resolve of waiting.splice(0)) resolve()
        })
      })
    },
  }
  const smtp = new SMTPServer(options)
  const connections = new Set<Socket>()
  smtp.server.on('connection', (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', resolve))
  const address = smtp.server.address() as AddressInfo
  const credentials = user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password!)}@`
  return {
    mails,
    url: `${secure ? 'smtps' : 'smtp'}://${credentials}127.0.0.1:${address.port}`,
    port: address.port,
    behave(behaviour: Behaviour) {
      server.behaviour = behaviour
    },
    /** The newest mail to an address, once there are that many. */
    async received(count: number): Promise<Received> {
      while (mails.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
      return mails[count - 1]!
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of connections) socket.destroy()
        smtp.close(() => resolve())
      }),
  }
}
