import { tuneV8 } from './v8.ts'

/**
 * Imported before anything else: once its first modules are loaded V8 no longer heeds it (Node 24.22: told from within `serve` it
 * went on as before, told from here it does not). Only for processes that serve others.
 */
if (process.argv[2] === 'serve' || process.argv[2] === 'agent') tuneV8()
