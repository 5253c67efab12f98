import { LswapError } from '@lswap/core/errors'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { isRecord, optionalText } from '../../client/fields.ts'
import { modelPath, QUICK_MS, type RouterClient, connect } from '../../client/router-client.ts'
import { plainLine } from '../../print/plain.ts'
import { duration } from '../../print/units.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { LoadFlags } from './command.ts'
import { showProgress } from '../../progress/progress.ts'
import { loadStep } from '../../progress/step.ts'

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
  const progress = showProgress({
    router,
    context,
    stepOf: (seen) => loadStep(seen, model),
    opening: `loading ${name}…`,
  })
  try {
    const { state, host } = await untilReady(router, model, flags.timeout ?? MAX_WAIT_MS)
    const loadMs = Math.round(performance.now() - started)
    return {
      data: { model, state, host, loadMs },
      text: `${name} is ready after ${duration(loadMs)}\n`,
      exitCode: 0,
    }
  } finally {
    progress.stop()
  }
}

/**
 * A load that nobody waits for may be given up for another model. So when the time is over it is asked for without
 * waiting before this wait ends.
 */
const untilReady = async (router: RouterClient, model: string, limitMs: number): Promise<Asked> => {
  const over = new AbortController()
  const { signal } = over
  try {
    const ready = ask(router, model, { wait: true, deadlineMs: limitMs + 2 * QUICK_MS, signal })
    const late = pause(limitMs, undefined, { signal })
    // Whichever loses ends with `over`, and nobody hears of it
    for (const loser of [ready, late]) loser.catch(() => {})
    const asked =
      (await Promise.race([ready, late])) ?? (await ask(router, model, { wait: false, deadlineMs: QUICK_MS }))
    if (asked.state === 'ready') return asked
  } finally {
    over.abort()
  }
  throw new LswapError({
    code: 'timed_out',
    message: `${model} is not ready after ${duration(limitMs)}; the load goes on.`,
    hint: '`lswap ps` shows how far it is',
  })
}

interface Asked {
  readonly state: string
  readonly host: string | undefined
}

interface AskOptions {
  readonly wait: boolean
  readonly deadlineMs: number
  readonly signal?: AbortSignal
}

const ask = async (router: RouterClient, model: string, { wait, ...bounds }: AskOptions): Promise<Asked> => {
  const path = `/api/models/load/${modelPath(model)}${wait ? '' : '?wait=false'}`
  const { body } = await router.ask({ method: 'POST', path, ...bounds })
  const answer = isRecord(body) ? body : {}
  return { state: optionalText(answer, 'state') ?? (wait ? 'ready' : 'loading'), host: optionalText(answer, 'host') }
}
