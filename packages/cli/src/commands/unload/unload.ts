import { failureOf, LswapError, type Failure } from '@lswap/core/errors'
import { isRecord, optionalText, records } from '../../client/fields.ts'
import { modelPath, QUICK_MS, type RouterClient, connect } from '../../client/router-client.ts'
import { exitCodeOf, failureData } from '../../print/failure.ts'
import { plainLine } from '../../print/plain.ts'
import { showProgress } from '../../progress/progress.ts'
import { unloadStep } from '../../progress/step.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { UnloadFlags } from './command.ts'

/** How long running requests may go on when nobody said so: the router's own drain limit is this by default. */
const DEFAULT_DRAIN_MS = 600_000
/** For the stop itself after the drain: stop signal, kill, and memory to come back. */
const STOP_MS = 120_000

type Ending = { readonly model: string } & (
  | { readonly state: 'unloaded' | 'requested' | 'unknown' }
  | { readonly failure: Failure }
)

/** Unloads models side by side; resolves when the memory of all is back, or at once with `--no-wait`. */
export const unload = async (models: readonly string[], flags: UnloadFlags, context: TaskContext): Promise<Outcome> => {
  const router = await connect(flags, context)
  if (!flags.wait) return endAll(models, flags, { router, context })
  const names = flags.all === true ? undefined : models
  const progress = showProgress({
    router,
    context,
    stepOf: (seen) => unloadStep(seen, names),
    opening: `unloading ${names?.map(plainLine).join(', ') ?? 'every model'}…`,
  })
  try {
    return await endAll(models, flags, { router, context })
  } finally {
    progress.stop()
  }
}

interface Asking {
  readonly router: RouterClient
  readonly context: TaskContext
}

const endAll = async (models: readonly string[], flags: UnloadFlags, { router, context }: Asking): Promise<Outcome> => {
  if (flags.all === true) {
    const { unloaded } = await ask(router, '', flags)
    if (!flags.wait) return { data: { state: 'requested' }, text: sentence('every model', 'requested'), exitCode: 0 }
    const gone = unloaded.map((model) => ({ model, state: 'unloaded' as const }))
    const text = gone.map(({ model, state }) => sentence(model, state)).join('') || 'nothing was loaded\n'
    return { data: { models: gone }, text, exitCode: 0 }
  }
  const endings = await Promise.all([...new Set(models)].map((model) => one(router, model, flags)))
  return report(endings, context)
}

const one = async (router: RouterClient, model: string, flags: UnloadFlags): Promise<Ending> => {
  try {
    await ask(router, `/${modelPath(model)}`, flags)
    return { model, state: flags.wait ? 'unloaded' : 'requested' }
  } catch (error) {
    const failure = failureOf(error)
    if (failure.code === 'cancelled') throw error
    if (failure.code === 'model_not_found' && flags.ignoreNotFound === true) return { model, state: 'unknown' }
    return { model, failure }
  }
}

interface Asked {
  /** Models that had a process. */
  readonly unloaded: readonly string[]
}

const ask = async (router: RouterClient, path: string, flags: UnloadFlags): Promise<Asked> => {
  const query = new URLSearchParams()
  if (flags.force === true) query.set('force', 'true')
  if (flags.timeout !== undefined) query.set('timeout', String(flags.timeout / 1000))
  if (!flags.wait) query.set('wait', 'false')
  const drainMs = flags.force === true ? 0 : (flags.timeout ?? DEFAULT_DRAIN_MS)
  const { body } = await router.ask({
    method: 'POST',
    path: `/api/models/unload${path}${query.size > 0 ? `?${query.toString()}` : ''}`,
    deadlineMs: flags.wait ? drainMs + STOP_MS : QUICK_MS,
  })
  const placements = records(isRecord(body) ? body['unloaded'] : undefined)
  return { unloaded: [...new Set(placements.map((placement) => optionalText(placement, 'model') ?? '?'))] }
}

/** Every model gets its line; the first failure decides the exit code. One cause for all is said once. */
const report = (endings: readonly Ending[], { complain }: TaskContext): Outcome => {
  const failures = endings.flatMap((ending) => ('failure' in ending ? [ending.failure] : []))
  const [first] = failures
  if (first && failures.length === endings.length && failures.every(({ message }) => message === first.message)) {
    throw new LswapError(first)
  }
  for (const failure of failures) complain(failure)
  return {
    data: {
      models: endings.map((ending) =>
        'failure' in ending ? { model: ending.model, ...failureData(ending.failure) } : ending,
      ),
    },
    text: endings.map((ending) => ('failure' in ending ? '' : sentence(ending.model, ending.state))).join(''),
    exitCode: first ? exitCodeOf(first) : 0,
  }
}

const sentence = (subject: string, state: 'unloaded' | 'requested' | 'unknown'): string => {
  const name = plainLine(subject)
  if (state === 'unknown') return `${name} is not configured\n`
  return state === 'unloaded' ? `${name} is unloaded\n` : `${name} will be unloaded\n`
}
