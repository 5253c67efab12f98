import type { ModelConfig } from '@lswap/core'
import { ask } from '../../support/ask.ts'
import { model } from '../../support/config.ts'
import type { RouterLimits } from '../../../../src/router/limits.ts'
import { startRig, type Rig } from '../../support/rig.ts'
import { forwardTo } from '../../exactness/support/ways.ts'
import { startStrictEngine, type StrictEngine } from './engine.ts'

interface Test {
  teardown(end: () => void | Promise<void>): void
}

export interface HostileRig extends Rig {
  readonly engine: StrictEngine
  /** Somebody who does nothing wrong is answered. */
  readonly isServing: () => Promise<boolean>
  /** Resolves when nothing is held any more: no body, no file, no call. */
  readonly isQuiet: () => Promise<void>
}

export interface HostileOptions {
  readonly limits?: Partial<RouterLimits>
  readonly models?: readonly ModelConfig[]
}

/** The real router and forwarder before an engine that takes nothing that is not right to the letter. */
export const startHostileRig = async (
  t: Test,
  { limits = {}, models = [model('a')] }: HostileOptions = {},
): Promise<HostileRig> => {
  const engine = await startStrictEngine(t)
  const forward = await forwardTo(t, engine.port)
  const rig = await startRig(t, { models, limits, agent: (fake) => ({ ...fake, forward }) })
  const held = async (): Promise<readonly number[]> => {
    const { text } = await ask(rig.port, { path: '/metrics' })
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
    const [memory, disk, calls] = [
      value('lswap_body_bytes\\{where="memory"\\}'),
      value('lswap_body_bytes\\{where="file"\\}'),
      value('lswap_open_requests'),
    ]
    // The page itself is asked for by a request
    return [memory, disk, calls - 1]
  }
  return {
    ...rig,
    engine,
    isServing: async () => {
      const body = '{"model":"a","prompt":"well"}'
      return (await ask(rig.port, { body })).status === 200
    },
    isQuiet: async () => {
      const end = performance.now() + 60_000
      for (;;) {
        const last = await held()
        if (last.every((value) => value === 0)) return
        if (performance.now() > end) throw new Error(`something is held: ${last.join(', ')}`)
      }
    },
  }
}
