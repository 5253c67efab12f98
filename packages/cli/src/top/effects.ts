import { failureOf } from '@lswap/core/errors'
import { askRequest } from '../client/request.ts'
import { modelPath, QUICK_MS, type RouterClient } from '../client/router-client.ts'
import { explainedText } from '../print/explained.ts'
import { plain } from '../print/plain.ts'
import { styleOf } from '../print/style.ts'
import { reached } from './follow/reached.ts'
import type { OutsideEffect, Performing } from './source/source.ts'

export interface EffectsOptions extends Performing {
  readonly router: RouterClient
}

/** Where a request's time went is asked again this often, while somebody looks at it. */
const EXPLAIN_MS = 2_000
/** Lines of a log that are there already. */
const TAIL = 500

/** Carries out what keys ask of the router, and tells what came of it. */
export const createEffects = (options: EffectsOptions): ((effect: OutsideEffect) => void) => {
  const { router, tell } = options
  let overlay = new AbortController()

  const ask = async (path: string, done: string): Promise<void> => {
    await router.ask({ method: 'POST', path, deadlineMs: QUICK_MS })
    tell({ type: 'told', text: done, tone: 'good' })
  }

  const carryOut = async (effect: OutsideEffect): Promise<void> => {
    switch (effect.type) {
      case 'load':
        return ask(`/api/models/load/${modelPath(effect.model)}?wait=false`, `${effect.model} is asked for`)
      case 'unload':
        return ask(
          `/api/models/unload/${modelPath(effect.model)}?wait=false`,
          `${effect.model} is unloaded when its running requests ended`,
        )
      case 'pin':
        return ask(`/api/models/pin/${modelPath(effect.model)}`, `${effect.model} is pinned`)
      case 'unpin':
        return ask(`/api/models/unpin/${modelPath(effect.model)}`, `${effect.model} is not pinned any more`)
      case 'cancel':
        return ask(
          `/api/requests/${encodeURIComponent(effect.request)}/cancel`,
          `request ${effect.request} is cancelled`,
        )
      case 'explain':
        overlay = new AbortController()
        return explain(options, effect.request, AbortSignal.any([overlay.signal, options.signal]))
      case 'follow-log':
        overlay = new AbortController()
        return followLog(options, effect, overlay.signal)
      case 'close-overlay':
        return overlay.abort()
      case 'load-at':
      case 'unload-at':
        // Asked for of agents alone
        return undefined
      default:
        return effect satisfies never
    }
  }

  return (effect) => {
    const { signal } = options
    carryOut(effect).catch((error: unknown) => {
      if (!signal.aborted) tell({ type: 'told', text: failureOf(error).message, tone: 'bad' })
    })
  }
}

const PLAIN = styleOf(false)

const explain = async ({ router, clock, tell }: EffectsOptions, key: string, over: AbortSignal): Promise<void> => {
  while (!over.aborted) {
    const lines = await askRequest(router, key).then(
      (told) => explainedText(told, PLAIN).split('\n'),
      (error: unknown) => [failureOf(error).message],
    )
    if (over.aborted) return
    tell({ type: 'fetched', overlay: 'request', key, lines })
    await reached(clock, clock.now() + EXPLAIN_MS, over)
  }
}

const followLog = async (
  { router, tell }: EffectsOptions,
  { key, model }: { readonly key: string; readonly model: string },
  closed: AbortSignal,
): Promise<void> => {
  let rest = ''
  try {
    const path = `/logs/stream/${modelPath(model)}?tail=${TAIL}`
    for await (const text of router.stream({ path, accept: 'text/plain', signal: closed })) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) tell({ type: 'logged', key, lines: lines.map(plain) })
    }
    tell({ type: 'logged', key, lines: ['', 'The router ended the stream.'] })
  } catch (error) {
    if (!closed.aborted) throw error
  }
}
