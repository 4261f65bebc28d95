// A thread that writes each commit into files for a replica. replica-log.ts describes its calls, and docs/reliability.md why no
// commit is missed. Plain JavaScript, because the binary contains the file as it is.
//
// Checkpoints control the log, so this thread runs them too. One of two readers holds a read transaction for as long as the
// thread works, which keeps every process from restarting the log: SQLite restarts it only when nobody reads it. A checkpoint
// goes as far as that transaction, so the other reader begins one further on, and the former ends once all frames up to there
// are in files. One case remains: a reader of a log that is wholly in the database file does not prevent a restart. It does
// keep everything written afterwards in the log, so this happens once, under the write lock, and only to frames that are
// already in files: `position.sealed`.
import { Database } from 'bun:sqlite'
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'

const { path, spool, place, key, journal, everyMs, snapshotEveryMs } = workerData
/** Shared: up to when all commits are in files, and how many files were stored. */
const { captured } = workerData

const frameHeader = 24
// Frames in one file, unless one commit has more.
const mostFrames = 8192
const partBytes = 8 * 2 ** 20
// The limit of snapshot parts that wait for upload, so that a slow place does not fill the disk.
const mostPartsWaiting = 8
// A checkpoint repeats for what was written during it, until little is left.
const atMost = 4
const little = 300
// How long a group of writes of the server, or a command beside it, may hold the lock.
const patienceMs = 5000

const open = (timeout) => {
  const db = new Database(path, { readwrite: true })
  db.run('PRAGMA synchronous = FULL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  db.run(`PRAGMA busy_timeout = ${timeout}`)
  return db
}
/** Takes the write lock. */
const lock = open(0)
/** Runs checkpoints, which a connection in a transaction cannot. */
const log = open(0)
/** The first of them pins the log. */
let readers = [open(patienceMs), open(patienceMs)].map((db) => ({
  db,
  look: db.prepare('SELECT count(*) FROM sqlite_schema'),
}))
const state = log.prepare('PRAGMA wal_checkpoint(NOOP)')
const passive = log.prepare('PRAGMA wal_checkpoint(PASSIVE)')
const truncate = log.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
const pageSize = log.prepare('PRAGMA page_size').get().page_size
const frameBytes = frameHeader + pageSize
const framesInChunk = Math.max(1, Math.floor(2 ** 20 / frameBytes))
const headBytes = (pages) => 4 + 4 * pages
const logHeader = Buffer.alloc(32)

// Kept from one capture to the next: to touch new memory costs more than to read the log into it.
const chunk = Buffer.allocUnsafeSlow(framesInChunk * frameBytes)
/** The slot in `contents` of each page, for the commits that are being read. */
const gathered = new Map()
/** A buffer with space for the numbers of `slots` pages, followed by the pages in their slots. */
let contents = null
let slots = 0

// Never closed: closing any descriptor of a file gives up the locks that SQLite holds on it in this process.
const database = fs.openSync(path, 'r')
/** SQLite makes this file with the first connection, and keeps it until the last one is closed. */
let logFile = null

const cipher = key && {
  key: Buffer.from(hkdfSync('sha256', key, '', 'convene replica v1', 32)),
  id: Buffer.from(hkdfSync('sha256', key, '', 'convene replica v1 key id', 8)).toString('hex'),
}

/** How much of the log is in files: `frame` frames of the log with these salts. `sum` is the last frame's checksum. */
let position = null
/** Null while nothing is replicated. */
let generation = null
/** When the newest generation began, in milliseconds. */
let startedAt = 0
/** A position at or after the beginning of the read transaction that pins the log; null while none does. */
let pinned = null
let snapshot = null
let counter = 0
let partsWaiting = 0
let journalSeen = ''
let timer = null

class Gap extends Error {}

// ---- files ----

function sha256(...parts) {
  const hash = new Bun.CryptoHasher('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The container format of all files in a replica; format.ts reads it. */
function encoded(header, body) {
  let stored = Bun.zstdCompressSync(body, { level: 1 })
  const full = { ...header, bytes: body.length }
  if (cipher) Object.assign(full, { key: cipher.id, nonce: randomBytes(12).toString('hex') })
  const text = Buffer.from(JSON.stringify({ ...full, stored: stored.length + (cipher ? 16 : 0) }))
  const start = Buffer.alloc(12)
  start.write('convene1', 0, 'latin1')
  start.writeUInt32LE(text.length, 8)
  if (cipher) {
    const seal = createCipheriv('aes-256-gcm', cipher.key, Buffer.from(full.nonce, 'hex'))
    seal.setAAD(text)
    stored = Buffer.concat([seal.update(stored), seal.final(), seal.getAuthTag()])
  }
  const sum = sha256(start, text, stored)
  return { bytes: Buffer.concat([start, text, stored, sum]), sum: Buffer.from(sum).toString('hex') }
}

/** Stores a whole file in the spool and syncs it to disk. It is shipped from there under that name. */
function store(name, header, body) {
  const { bytes, sum } = encoded(header, body)
  const file = `${String(++counter).padStart(12, '0')} ${name.replaceAll('/', ',')}`
  const part = join(spool, `${file}.part`)
  const to = fs.openSync(part, 'w', 0o600)
  try {
    for (let at = 0; at < bytes.length;) at += fs.writeSync(to, bytes, at)
    fs.fsyncSync(to)
  } finally {
    fs.closeSync(to)
  }
  fs.renameSync(part, join(spool, file))
  syncDirectory(spool)
  Atomics.add(captured, 1, 1n)
  parentPort.postMessage({ type: 'stored', file, bytes: bytes.length, capturedAt: Number(captured[0]) })
  return sum
}

function syncDirectory(directory) {
  if (process.platform === 'win32') return
  const of = fs.openSync(directory, 'r')
  fs.fsyncSync(of)
  fs.closeSync(of)
}

function save() {
  const file = join(spool, 'state.json')
  fs.writeFileSync(`${file}.part`, JSON.stringify({ place, key: cipher?.id ?? null, generation, position }), {
    mode: 0o600,
  })
  fs.renameSync(`${file}.part`, file)
}

/** Identifies the content of the database file, which only a checkpoint or a command changes. */
function fingerprint() {
  const { mtimeNs, size, ino } = fs.fstatSync(database, { bigint: true })
  return `${mtimeNs} ${size} ${ino}`
}

// ---- the log ----

/** The log's file, opened once: this runs four times a second in a server that has nothing else to do. */
function logDescriptor() {
  logFile ??= fs.openSync(`${path}-wal`, 'r')
  return logFile
}

/** The salts of the log, which each restart of it changes; null while it has no header. */
function readLogHeader() {
  return fs.readSync(logDescriptor(), logHeader, 0, 32, 0) === 32 ? logHeader.toString('hex', 16, 24) : null
}

/** The checksum of a frame covers all frames before it. */
function checksumOfFrame(frame) {
  const sum = Buffer.alloc(8)
  fs.readSync(logDescriptor(), sum, 0, 8, 32 + (frame - 1) * (frameHeader + pageSize) + 16)
  return sum.toString('hex')
}

/** Writes all new commits into files. Returns whether there were any. Throws Gap if the log has lost commits. */
function capture() {
  for (;;) {
    const before = readLogHeader()
    const frames = state.get().log
    const salts = readLogHeader()
    // The log was restarted in between.
    if (before !== salts) continue
    if (salts === null || frames <= 0) return false
    const isNew = salts !== position.salts
    // SQLite resets the number of frames before it writes the log's header.
    if (!isNew && frames <= position.frame) return false
    if (isNew && !position.sealed) throw new Gap('the log began anew before all of it was in files')
    readFrames(salts, isNew ? 0 : position.frame, frames)
    return true
  }
}

function readFrames(salts, from, to) {
  const file = logDescriptor()
  try {
    const [salt1, salt2] = saltNumbers(salts)
    gathered.clear()
    if (contents === null) makeRoom(256)
    let begun = from
    for (let frame = from; frame < to;) {
      const length = Math.min(framesInChunk, to - frame) * frameBytes
      if (fs.readSync(file, chunk, 0, length, 32 + frame * frameBytes) !== length)
        throw new Gap('the log is shorter than SQLite says')
      for (let at = 0; at < length; at += frameBytes) {
        frame++
        if (chunk.readUInt32BE(at + 8) !== salt1 || chunk.readUInt32BE(at + 12) !== salt2)
          throw new Gap('a frame of another log')
        gather(chunk.readUInt32BE(at), at + frameHeader)
        const databasePages = chunk.readUInt32BE(at + 4)
        if (databasePages === 0 || (frame < to && frame - begun < mostFrames)) continue
        storeCommits(databasePages, { salts, frame, sum: chunk.toString('hex', at + 16, at + 24) })
        gathered.clear()
        begun = frame
      }
    }
    if (gathered.size > 0) throw new Gap('the log ends within a commit')
  } finally {
    // Do not keep the memory of one large commit.
    if (slots > mostFrames) contents = null
  }
}

const saltNumbers = (salts) => {
  const bytes = Buffer.from(salts, 'hex')
  return [bytes.readUInt32BE(0), bytes.readUInt32BE(4)]
}

/** Copies a page of the chunk to its place in `contents`, over an earlier version of it. */
function gather(number, at) {
  let slot = gathered.get(number)
  if (slot === undefined) {
    slot = gathered.size
    gathered.set(number, slot)
    if (slot === slots) makeRoom(slots * 2)
  }
  chunk.copy(contents, headBytes(slots) + slot * pageSize, at, at + pageSize)
}

function makeRoom(count) {
  const room = Buffer.allocUnsafeSlow(headBytes(count) + count * pageSize)
  contents?.copy(room, headBytes(count), headBytes(slots))
  contents = room
  slots = count
}

function storeCommits(databasePages, { salts, frame, sum }) {
  const at = Date.now()
  const next = { salts, frame, sum, sealed: false, file: null }
  const header = {
    kind: 'log',
    generation: generation.id,
    seq: generation.seq + 1,
    prev: generation.hash,
    at,
    page_size: pageSize,
    pages: databasePages,
    log: next,
  }
  const hash = store(`log/${generation.id}/${named(header.seq)}`, header, packed(databasePages))
  generation = { ...generation, seq: header.seq, hash, at }
  position = next
  save()
}

const named = (seq) => String(seq).padStart(10, '0')

/** Page numbers, then their content. Pages beyond the end of the database were removed by this commit. */
function packed(databasePages) {
  const first = headBytes(slots)
  const numbers = []
  for (const [number, slot] of gathered) {
    if (number > databasePages) continue
    const at = first + slot * pageSize
    if (slot !== numbers.length) contents.copyWithin(first + numbers.length * pageSize, at, at + pageSize)
    numbers.push(number)
  }
  const start = first - headBytes(numbers.length)
  contents.writeUInt32LE(numbers.length, start)
  numbers.forEach((number, i) => contents.writeUInt32LE(number, start + 4 + 4 * i))
  return contents.subarray(start, first + numbers.length * pageSize)
}

// ---- checkpoints ----

function locked(work) {
  takeLock()
  try {
    return work()
  } finally {
    lock.run('ROLLBACK')
  }
}

/** For Atomics.wait, which can sleep for fractions of a millisecond. Bun.sleepSync rounds those to zero. */
const nobody = new Int32Array(new SharedArrayBuffer(4))

/** SQLite's own waiting sleeps longer than a busy server frees the lock between two groups of writes. */
function takeLock() {
  const end = performance.now() + patienceMs
  for (;;) {
    try {
      return void lock.run('BEGIN IMMEDIATE')
    } catch (error) {
      if (!`${error.code}`.startsWith('SQLITE_BUSY') || performance.now() > end) throw error
    }
    Atomics.wait(nobody, 0, 0, 0.05)
  }
}

function beginReading({ db, look }) {
  db.run('BEGIN')
  look.get()
}

/**
 * Call it under the write lock, with all frames in files. If a checkpoint of any process has copied the whole log into the
 * database file, the reader does not prevent a restart of the log: the position is sealed.
 */
function pin() {
  beginReading(readers[0])
  const { log: frames, checkpointed } = state.get()
  if (frames === checkpointed) position = { ...position, sealed: true, file: fingerprint() }
  pinned = position
}

function unpin() {
  if (pinned) readers[0].db.run('COMMIT')
  pinned = null
}

/** Moves the pin forward if the log has grown. Needs no lock, because the pinned log cannot be restarted. */
function advancePin() {
  const { log: frames } = state.get()
  if (frames <= pinned.frame && readLogHeader() === pinned.salts) return
  const [former, next] = readers
  beginReading(next)
  try {
    capture()
  } catch (error) {
    next.db.run('COMMIT')
    throw error
  }
  former.db.run('COMMIT')
  readers = [next, former]
  pinned = position
}

/** Checkpoints the rest of the log under the write lock. Returns whether all of it is in the database file. */
function seal() {
  return locked(() => {
    capture()
    unpin()
    position = { ...position, sealed: false, file: null }
    try {
      passive.get()
    } finally {
      pin()
    }
    save()
    return position.sealed
  })
}

function checkpoint() {
  if (generation === null) return void passive.get()
  for (let i = 0; i < atMost; i++) {
    advancePin()
    passive.get()
    if (state.get().log - position.frame < little) break
  }
  seal()
}

/** Truncates the log. The pin makes SQLite refuse while a frame is not in a file. */
function empty() {
  if (generation === null) return truncate.get().busy === 0
  for (let i = 0; i < 100; i++) {
    if (seal() && truncate.get().busy === 0) return true
    Bun.sleepSync(2)
  }
  return false
}

// ---- starting and continuing ----

function readState() {
  const all = fs.readdirSync(spool)
  for (const name of all.filter((name) => name.endsWith('.part'))) fs.rmSync(join(spool, name))
  const names = all.filter((name) => !name.endsWith('.part'))
  counter = Math.max(0, ...names.map((name) => Number.parseInt(name, 10) || 0))
  let saved = null
  try {
    saved = JSON.parse(fs.readFileSync(join(spool, 'state.json'), 'utf8'))
  } catch {
    // There is none yet, or a power cut has damaged it.
  }
  if (saved?.generation) startedAt = timeOf(saved.generation.id)
  if (saved?.generation == null || saved.place !== place || saved.key !== (cipher?.id ?? null)) return null
  const newest = names.filter((name) => name.includes(` log,${saved.generation.id},`)).sort()
  const last = newest.at(-1)
  if (last === undefined) return saved
  // After a power cut, a file may be there without the state saved after it.
  const bytes = fs.readFileSync(join(spool, last))
  const header = JSON.parse(bytes.toString('utf8', 12, 12 + bytes.readUInt32LE(8)))
  if (header.seq <= saved.generation.seq) return saved
  const hash = bytes.subarray(-32).toString('hex')
  return { generation: { ...saved.generation, seq: header.seq, hash, at: header.at }, position: header.log }
}

/** Whether the log on disk continues the saved state. */
function goesOn(saved) {
  const salts = readLogHeader()
  const { log: frames } = state.get()
  const { position } = saved
  if (salts !== null && salts === position.salts && frames > 0)
    return frames >= position.frame && (position.frame === 0 || checksumOfFrame(position.frame) === position.sum)
  return position.sealed && position.file === fingerprint()
}

function start() {
  fs.mkdirSync(spool, { recursive: true, mode: 0o700 })
  readers[0].look.get()
  const saved = readState()
  const going = locked(() => {
    const going = saved !== null && goesOn(saved)
    if (going) {
      ;({ generation, position } = saved)
      capture()
    } else beginHere()
    pin()
    return going
  })
  empty()
  return going
}

function timeOf(id) {
  const [, year, month, day, hour, minute, second, ms] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(id) ?? []
  return year === undefined ? 0 : Date.UTC(year, month - 1, day, hour, minute, second, ms)
}

/** Starts a new generation at the present state. Call it under the write lock, before the log is pinned. */
function beginHere() {
  // Later than every other generation, even if the clock was set back, because names tell which is the newest.
  startedAt = Math.max(Date.now(), startedAt + 1)
  const id = `${new Date(startedAt).toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`
  generation = { id, seq: 0, hash: Buffer.from(sha256(id)).toString('hex'), at: Date.now(), snapshot: null }
  const frames = state.get().log
  const salts = readLogHeader()
  // The present log is checkpointed before the snapshot begins.
  position = { salts, frame: Math.max(0, frames), sum: '', sealed: false, file: null }
  if (salts !== null && frames > 0) position.sum = checksumOfFrame(frames)
  snapshot = null
}

/** Ends replication until `begin`, so the log may be truncated. */
function abandon() {
  clearTimeout(timer)
  generation = null
  snapshot = null
  unpin()
  try {
    fs.rmSync(join(spool, 'state.json'), { force: true })
  } catch {
    // The spool itself is gone. Any state that remains will not match the log.
  }
}

/** Starts a new generation, later than `after`, unless the present one already is. */
function begin({ after = null }) {
  if (generation !== null) {
    if (after === null || generation.id >= after) return false
    abandon()
  }
  if (after !== null) startedAt = Math.max(startedAt, timeOf(after))
  fs.mkdirSync(spool, { recursive: true, mode: 0o700 })
  locked(() => {
    beginHere()
    pin()
  })
  seal()
  plan()
  return true
}

// ---- snapshots ----

/**
 * Starts to copy the database file while it is written to. A page may be of any moment until the end of the copy.
 * Everything that a checkpoint writes is in a log file first, so applying the log files from here on corrects every page.
 */
function beginSnapshot() {
  if (!seal()) return
  const pages = Math.floor(fs.fstatSync(database).size / pageSize)
  const id = `${named(generation.seq)}-${randomBytes(4).toString('hex')}`
  snapshot = { id, start: generation.seq, base: generation.hash, page: 0, pages, parts: [] }
}

function copyPart() {
  const { page, pages, id, parts } = snapshot
  const count = Math.min(Math.floor(partBytes / pageSize), pages - page)
  const buffer = Buffer.alloc(count * pageSize)
  // The file may have become shorter; the log records that.
  fs.readSync(database, buffer, 0, buffer.length, page * pageSize)
  const name = `snapshot/${generation.id}/${id}/${String(parts.length).padStart(6, '0')}`
  const header = { kind: 'part', generation: generation.id, page, count, page_size: pageSize, at: Date.now() }
  partsWaiting++
  parts.push({ name, sum: store(name, header, buffer) })
  snapshot.page += count
}

function endSnapshot() {
  capture()
  const { id, start, base, pages, parts } = snapshot
  const { id: of, seq } = generation
  const header = { kind: 'manifest', generation: of, start, seq, base, pages, page_size: pageSize, at: Date.now() }
  store(`manifest/${of}/${named(seq)}-${id}`, header, Buffer.from(JSON.stringify(parts)))
  generation = { ...generation, snapshot: { seq, at: Date.now() } }
  snapshot = null
  save()
}

// The absolute difference, so that a clock that was ahead does not delay the next snapshot.
const isDue = ({ snapshot }) => snapshot === null || Math.abs(Date.now() - snapshot.at) >= snapshotEveryMs

function workOnSnapshot() {
  if (snapshot === null) {
    if (isDue(generation)) beginSnapshot()
    return
  }
  if (snapshot.page < snapshot.pages) {
    if (partsWaiting < mostPartsWaiting) copyPart()
  } else endSnapshot()
}

// ---- timer and calls ----

function shipJournal() {
  const stat = fs.statSync(journal, { bigint: true, throwIfNoEntry: false })
  const found = stat && `${stat.mtimeNs} ${stat.size}`
  if (found === undefined || found === journalSeen) return
  store('erasures.log', { kind: 'file', at: Date.now() }, fs.readFileSync(journal))
  journalSeen = found
}

let lookedAt = 0
/** Waking the thread is most of the cost of an idle replica, so it wakes half as often while nobody writes. */
let isQuiet = false

function tick() {
  try {
    const now = Date.now()
    if (now - lookedAt >= everyMs || now < lookedAt) {
      isQuiet = !capture()
      shipJournal()
      lookedAt = now
      Atomics.store(captured, 0, BigInt(now))
    }
    workOnSnapshot()
    plan()
  } catch (error) {
    tell(error)
  }
}

function plan() {
  clearTimeout(timer)
  if (generation === null) return
  const isCopying = snapshot !== null && partsWaiting < mostPartsWaiting
  timer = setTimeout(tick, isCopying ? 1 : isQuiet ? 2 * everyMs : everyMs)
}

function tell(error) {
  const isGap = error instanceof Gap
  abandon()
  parentPort.postMessage({ type: 'failed', gap: isGap, code: error.code ?? null, message: error.message })
}

const asked = {
  start,
  run: plan,
  checkpoint,
  empty,
  begin,
  abandon,
  file: ({ name, bytes }) => store(name, { kind: 'file', at: Date.now() }, bytes),
  part() {
    partsWaiting = Math.max(0, partsWaiting - 1)
    if (generation !== null && snapshot !== null) plan()
  },
  waiting: ({ parts }) => void (partsWaiting = parts),
  snapshot() {
    if (generation !== null && snapshot === null) generation = { ...generation, snapshot: null }
    plan()
  },
  close() {
    if (generation !== null) {
      capture()
      shipJournal()
      seal()
    }
    clearTimeout(timer)
    unpin()
    for (const db of [lock, log, ...readers.map(({ db }) => db)]) db.close()
    if (logFile !== null) fs.closeSync(logFile)
  },
}

parentPort.on('message', ({ id, ask, ...with_ }) => {
  try {
    const value = asked[ask](with_)
    parentPort.postMessage({ type: 'answer', id, value: value ?? null })
  } catch (error) {
    if (generation !== null && ask !== 'file') tell(error)
    parentPort.postMessage({ type: 'answer', id, error: { code: error.code ?? null, message: error.message } })
  }
})
