import { readConfig } from './config.ts'
import { serve } from './commands/serve.ts'

await serve(readConfig())
