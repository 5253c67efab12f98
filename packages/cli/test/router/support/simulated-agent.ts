import { epoch, type Generation, type HostId, type ModelId, type Swap, type SwapResult } from '@lswap/core'
import type { EngineTimes } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { Clock } from '../../../src/router/clock.ts'

export interface SimulatedAgentOptions {
  readonly host: HostId
  readonly clock: Clock
  readonly times: EngineTimes
  /** A model is told to go while it may still serve. */
  readonly onStop: (model: ModelId) => void
}

interface Engine {
  phase: 'loading' | 'ready' | 'stopping'
  readonly epoch: number
  readonly gone: Promise<void>
  readonly end: () => void
}

/**
 * An agent on virtual time, written from what an agent promises and not from the simulator: promises and timers instead
 * of a heap of events. It is asked for swaps, aborts and idle stops only.
 */
export const createSimulatedAgent = ({ host, clock, times, onStop }: SimulatedAgentOptions): Agent => {
  const engines = new Map<ModelId, Engine>()
  const starts = new Map<ModelId, number>()
  const aborted = new Set<Generation>()
  const loading = new Map<Generation, () => void>()
  const pass = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimer(clock.now() + ms, resolve))

  const launch = (model: ModelId): Engine => {
    const count = (starts.get(model) ?? 0) + 1
    starts.set(model, count)
    let tellGone: (() => void) | undefined
    const gone = new Promise<void>((resolve) => {
      tellGone = resolve
    })
    const engine: Engine = {
      phase: 'loading',
      epoch: count,
      gone,
      end: () => {
        if (engine.phase === 'stopping') return
        engine.phase = 'stopping'
        onStop(model)
        clock.setTimer(clock.now() + times.stopMs, () => {
          engines.delete(model)
          tellGone?.()
        })
      },
    }
    engines.set(model, engine)
    return engine
  }

  const stopped = async (models: readonly ModelId[]): Promise<void> => {
    const going = models.flatMap((model) => engines.get(model) ?? [])
    for (const engine of going) engine.end()
    await Promise.all(going.map(({ gone }) => gone))
  }

  const swap = async ({ generation, model, evict }: Swap): Promise<SwapResult> => {
    const startedAt = clock.now()
    // Only where something must end: a load with nothing in its way begins in the same moment
    if (evict.some((victim) => engines.has(victim))) await stopped(evict)
    const loadsFrom = clock.now()
    const result = (): Pick<SwapResult, 'evictions' | 'timings'> => ({
      evictions: evict.map((victim) => ({ model: victim, outcome: 'stopped' })),
      timings: { stopMs: loadsFrom - startedAt, memoryMs: 0, loadMs: clock.now() - loadsFrom },
    })
    if (aborted.has(generation)) return { outcome: 'aborted', ...result() }
    const engine = launch(model)
    loading.set(generation, engine.end)
    await Promise.race([pass(times.loadMs), engine.gone])
    loading.delete(generation)
    if (engine.phase === 'stopping') {
      await engine.gone
      return { outcome: 'aborted', ...result() }
    }
    engine.phase = 'ready'
    return { outcome: 'ready', epoch: epoch(engine.epoch), slots: times.slots, ...result() }
  }

  return {
    host,
    swap,
    abort: (generation) => {
      aborted.add(generation)
      loading.get(generation)?.()
    },
    stop: async ({ models }) => {
      await stopped(models)
      return models.map((model) => ({ placement: { host, model }, outcome: 'stopped' }))
    },
    forward: () => {
      throw new Error('nothing is forwarded in a simulation')
    },
    processes: async () => [],
    logs: async () => [],
    followLogs: () => ({ pause: () => {}, resume: () => {}, stop: () => {} }),
    subscribe: () => () => {},
    close: async () => {},
    destroy: async () => {},
  }
}
