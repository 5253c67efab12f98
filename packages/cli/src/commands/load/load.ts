import { LswapError } from '@lswap/core/errors'
import { performance } from 'node:perf_hooks'
import { isRecord, optionalText } from '../../client/fields.ts'
import { modelPath, QUICK_MS, type RouterClient, connect } from '../../client/router-client.ts'
import { plainLine } from '../../print/plain.ts'
import { duration } from '../../print/units.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { LoadFlags } from './command.ts'
import { tellProgress } from './progress.ts'

/** The router bounds every wait itself (queue and start time limits); this only ends a wait for a router that hangs. */
const MAX_WAIT_MS = 3_600_000

/** Loads a model; resolves when it is ready, or at once with `--no-wait`. */
export const load = async (model: string, flags: LoadFlags, context: TaskContext): Promise<Outcome> => {
  const router = await connect(flags, context)
  const name = plainLine(model)
  if (!flags.wait) {
    const { state } = await ask(router, model, { wait: false, deadlineMs: QUICK_MS })
    const text = state === 'ready' ? `${name} is ready\n` : `${name} is asked for; \`lswap ps\` shows how far it is\n`
    return { data: { model, state }, text, exitCode: 0 }
  }
  const started = performance.now()
  context.say(`loading ${name}…`)
  const progress = tellProgress(model, router, context)
  try {
    const { state, host } = await ask(router, model, { wait: true, deadlineMs: flags.timeout ?? MAX_WAIT_MS })
    const loadMs = Math.round(performance.now() - started)
    return {
      data: { model, state, host, loadMs },
      text: `${name} is ready after ${duration(loadMs)}\n`,
      exitCode: 0,
    }
  } catch (error) {
    if (error instanceof LswapError && error.code === 'timed_out') await leave(router, model, flags.timeout)
    throw error
  } finally {
    progress.stop()
  }
}

interface Asked {
  readonly state: string
  readonly host: string | undefined
}

const ask = async (
  router: RouterClient,
  model: string,
  { wait, deadlineMs }: { wait: boolean; deadlineMs: number },
): Promise<Asked> => {
  const path = `/api/models/load/${modelPath(model)}${wait ? '' : '?wait=false'}`
  const { body } = await router.ask({ method: 'POST', path, deadlineMs })
  const answer = isRecord(body) ? body : {}
  return { state: optionalText(answer, 'state') ?? (wait ? 'ready' : 'loading'), host: optionalText(answer, 'host') }
}

/** A load that nobody waits for may be given up for another model: asks for it without waiting, then says how it stands. */
const leave = async (router: RouterClient, model: string, timeoutMs: number | undefined): Promise<never> => {
  await ask(router, model, { wait: false, deadlineMs: QUICK_MS })
  throw new LswapError({
    code: 'timed_out',
    message: `${model} is not ready after ${duration(timeoutMs ?? MAX_WAIT_MS)}; the load goes on.`,
    hint: '`lswap ps` shows how far it is',
  })
}
