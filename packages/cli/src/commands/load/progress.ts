import { setTimeout as pause } from 'node:timers/promises'
import type { RouterClient } from '../../client/router-client.ts'
import { running, type RunningModel } from '../../client/running.ts'
import { plainLine } from '../../print/plain.ts'
import type { TaskContext } from '../invocation.ts'

const INTERVAL_MS = 500

export interface Progress {
  stop(): void
}

/** While a load is waited for: one line on stderr whenever what it waits for changes. */
export const tellProgress = (model: string, router: RouterClient, context: TaskContext): Progress => {
  const ended = new AbortController()
  void follow(model, { router, context, signal: ended.signal })
  return { stop: () => ended.abort() }
}

const follow = async (
  model: string,
  { router, context, signal }: { router: RouterClient; context: TaskContext; signal: AbortSignal },
): Promise<void> => {
  let said = ''
  try {
    for (;;) {
      await pause(INTERVAL_MS, undefined, { signal, ref: false })
      const { models } = await running(router)
      if (signal.aborted) return
      const line = stepOf(model, models)
      if (line !== undefined && line !== said) context.say(line)
      said = line ?? said
    }
  } catch {
    // The load itself tells what is wrong with the router; progress is only a comfort.
  }
}

/** What is in the way of a model that is not loading yet; undefined: nothing worth a line. */
export const stepOf = (model: string, models: readonly RunningModel[]): string | undefined => {
  const state = models.find((candidate) => candidate.model === model)?.state
  if (state !== undefined && !['stopped', 'stopping'].includes(state)) return undefined
  const going = models.filter((other) => other.model !== model && other.state === 'stopping')
  if (going.length > 0) return `${names(going)} stops to make room…`
  const busy = models.filter((other) => other.model !== model && (other.inFlight ?? 0) > 0)
  if (busy.length > 0) return `waiting for ${names(busy)} to finish running requests…`
  const loading = models.filter((other) => other.model !== model && other.state === 'loading')
  return loading.length > 0 ? `waiting for ${names(loading)} to load…` : undefined
}

const names = (models: readonly RunningModel[]): string => models.map(({ model }) => plainLine(model)).join(', ')
