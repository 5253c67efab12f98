import { connect } from '../../../client/router-client.ts'
import { targetOf } from '../../../client/target.ts'
import { isLoopback } from '../../../router/listen-address.ts'
import type { TaskContext } from '../../invocation.ts'
import type { DoctorFlags } from '../command.ts'

const LIMIT_MS = 2_000

/** Whether a router answers where the flags and the environment say; asked once. */
export type Answering = () => Promise<boolean>

export const askAnswering = (flags: DoctorFlags, context: TaskContext): Answering => {
  let asked: Promise<boolean> | undefined
  return () => {
    asked ??= isAnswering(flags, context)
    return asked
  }
}

const isAnswering = async (flags: DoctorFlags, context: TaskContext): Promise<boolean> => {
  try {
    const router = await connect(flags, context)
    await router.ask({ method: 'GET', path: '/api/version', deadlineMs: LIMIT_MS })
    return true
  } catch {
    return false
  }
}

/** Whether the router that was named runs on another machine; then this one need not be able to serve anything. */
export const isElsewhere = async (flags: DoctorFlags, { io }: Pick<TaskContext, 'io'>): Promise<boolean> => {
  const target = await targetOf(flags, io).catch(() => undefined)
  return target !== undefined && !isLoopback(new URL(target.origin).hostname.replace(/^\[|\]$/g, ''))
}
