import { generation, hostId } from '@lswap/core'
import type { Epoch, Generation, ModelConfig, Swap, SwapResult } from '@lswap/core'
import { atEnd, scratch } from '@lswap/core/test-support'
import type { Test } from 'tap'
import type { Devices } from '../../../src/devices/devices.ts'
import type { AgentEvent, SwapProgress } from '../../../src/agent.ts'
import { createEmbeddedAgent, type EmbeddedAgent } from '../../../src/embedded/embedded-agent.ts'
import { recordedLog } from '../../process/support/recorded-log.ts'
import type { RecordedLog } from '../../process/support/recorded-log.ts'

export const HOST = hostId('local')

export interface AgentRig {
  readonly agent: EmbeddedAgent
  readonly log: RecordedLog
  readonly events: AgentEvent[]
  readonly order: (model: ModelConfig, evict?: readonly ModelConfig[]) => Swap
  readonly next: () => Generation
}

/** An agent with a state directory of its own, ended with the test. */
export const agentOf = async (
  t: Test,
  models: readonly ModelConfig[],
  options: string | { readonly stateDir?: string; readonly sensors?: Devices } = {},
): Promise<AgentRig> => {
  const log = recordedLog()
  const given = typeof options === 'string' ? { stateDir: options } : options
  const { stateDir = scratch(t), ...parts } = given
  const agent = await createEmbeddedAgent({ host: HOST, models, stateDir, log, ...parts })
  atEnd(t, () => agent.destroy())
  const events: AgentEvent[] = []
  agent.subscribe((event) => events.push(event))
  let orders = 0
  const next = (): Generation => generation((orders += 1))
  return {
    agent,
    log,
    events,
    next,
    order: (model, evict = []) => ({
      generation: next(),
      model: model.id,
      host: HOST,
      evict: evict.map(({ id }) => id),
    }),
  }
}

export const epochIn = (result: SwapResult): Epoch => {
  if (result.outcome !== 'ready') throw new Error(`the swap was to end ready: ${JSON.stringify(result)}`)
  return result.epoch
}

/** A promise and what resolves it. */
export const signal = (): { readonly given: Promise<void>; readonly give: () => void } => {
  const controller = new AbortController()
  const given = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve())
  })
  return { given, give: () => controller.abort() }
}

/** Resolves at the first progress of this kind; the rest of the swap goes on. */
export const reached = (type: SwapProgress['type']) => {
  const { given, give } = signal()
  const onProgress = (progress: SwapProgress): void => {
    if (progress.type === type) give()
  }
  return { there: given, onProgress }
}
