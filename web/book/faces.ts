import { app } from './app/screens.ts'
import type { Face } from './book.ts'
import { console } from './console/screens.ts'

/** The faces in the book. `web/book/<name>/frame.ts` mounts each. */
export const faces: Record<string, Face> = { app, console }
