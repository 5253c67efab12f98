import { LswapError } from '@lswap/core'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { ServeFlags } from './command.ts'

export const serve = (_flags: ServeFlags, _context: TaskContext): Promise<Outcome> =>
  Promise.reject(new LswapError({ code: 'internal', message: 'being written' }))
