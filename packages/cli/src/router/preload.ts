import type { ModelId } from '@lswap/core'
import type { Log } from './log.ts'
import type { RunLoop } from './loop.ts'

/** Makes models ready one after the other, as any request would; what fails is told and the next one goes on. */
export const preload = async (
  models: readonly ModelId[],
  { loop, log }: { readonly loop: Pick<RunLoop, 'load'>; readonly log: Log },
): Promise<void> => {
  for (const model of models) {
    const outcome = await loop.load(model).done
    if (outcome.type === 'ready') log.info({ model, host: outcome.placement.host }, 'preloaded')
    // A shutdown ends them all, and that is said elsewhere
    else if (outcome.failure.code === 'shutting_down') return
    else log.warn({ model, code: outcome.failure.code, reason: outcome.failure.message }, 'not preloaded')
  }
}
