import { createClient } from '../../client/src/index.ts'
import { indexedDb } from '../../client/src/indexeddb.ts'

Object.assign(globalThis, { kit: { createClient, indexedDb } })
