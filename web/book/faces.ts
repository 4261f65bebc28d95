import { app } from './app/screens.ts'
import type { Face } from './book.ts'
import { console } from './console/screens.ts'

/** Every face that has its screens in the book. What mounts one is `web/book/<name>/frame.ts`. */
export const faces: Record<string, Face> = { app, console }
