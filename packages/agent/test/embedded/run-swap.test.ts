import { epoch, generation, hostId, modelId } from '@lswap/core'
import type { Failure, SwapResult } from '@lswap/core'
import t from 'tap'
import { runSwap } from '../../src/embedded/run-swap.ts'
import type { SwapOwner } from '../../src/embedded/run-swap.ts'
import type { StartOutcome } from '../../src/process/attempt.ts'
import type { StopReport } from '../../src/process/owner-state.ts'

const STUCK: StopReport = {
  outcome: 'stuck',
  failure: { code: 'stop_failed', message: 'old (pid 7) still runs', hint: 'reboot' },
}

interface Pretended {
  readonly running?: boolean
  readonly stop?: StopReport
  readonly start?: StartOutcome
}

/** Runs a swap to `new` between owners that only pretend; `calls` says what they were told. */
const swapBetween = async (
  owners: Readonly<Record<string, Pretended>>,
  options: { readonly signal?: AbortSignal; readonly refusal?: Failure } = {},
): Promise<{ result: SwapResult; calls: string[] }> => {
  const calls: string[] = []
  const pretend = (name: string, { running = false, stop, start }: Pretended): SwapOwner => ({
    ensureReady: async ({ signal }) => {
      calls.push(`start ${name}`)
      if (!signal.aborted) return start ?? { outcome: 'ready', epoch: epoch(2), slots: 4 }
      return running ? { outcome: 'ready', epoch: epoch(1), slots: undefined } : { outcome: 'aborted' }
    },
    ensureStopped: async () => {
      calls.push(`stop ${name}`)
      return stop ?? { outcome: 'stopped' }
    },
    isStopped: () => !running,
    prepare: () => {
      calls.push(`prepare ${name}`)
      return async () => void calls.push(`drop ${name}`)
    },
  })
  const evict = Object.keys(owners)
    .filter((name) => name !== 'new')
    .map(modelId)
  const pretended = new Map(Object.entries(owners).map(([name, what]) => [modelId(name), pretend(name, what)]))
  const result = await runSwap({
    owner: pretended.get(modelId('new')),
    order: { generation: generation(1), model: modelId('new'), host: hostId('local'), evict },
    owners: pretended,
    preCheck: async () => options.refusal,
    portFreed: async () => {},
    watchMemory: () => ({
      freed: async () => void calls.push('wait for memory'),
      end: () => void calls.push('end memory watch'),
    }),
    signal: options.signal ?? new AbortController().signal,
    onProgress: () => {},
  })
  return { result, calls }
}

t.test('a process that will not go stops the swap, and is named', async (t) => {
  const { result, calls } = await swapBetween({
    old: { running: true, stop: STUCK },
    other: { running: true },
    new: {},
  })
  t.match(result, {
    outcome: 'failed',
    failure: { code: 'stop_failed', message: /old \(pid 7\) still runs/, hint: 'reboot' },
  })
  t.match(result.evictions, [
    { model: 'old', outcome: 'stuck', failure: { code: 'stop_failed' } },
    { model: 'other', outcome: 'stopped' },
  ])
  t.same(
    calls,
    ['stop old', 'stop other', 'prepare new', 'end memory watch', 'drop new'],
    'the new one is not started beside it, and what was prepared for it is given back',
  )
})

t.test('a failed start still tells what was stopped for it', async (t) => {
  const failure: Failure = { code: 'start_failed', message: 'no' }
  const { result } = await swapBetween({ old: { running: true }, new: { start: { outcome: 'failed', failure } } })
  t.match(result, { outcome: 'failed', failure, evictions: [{ model: 'old', outcome: 'stopped' }] })
})

t.test('a refusal touches nothing', async (t) => {
  const refusal: Failure = { code: 'start_failed', message: 'no such file' }
  const { result, calls } = await swapBetween({ old: { running: true }, new: {} }, { refusal })
  t.match(result, { outcome: 'failed', failure: refusal, evictions: [{ model: 'old', outcome: 'kept' }] })
  t.same(calls, [])
})

t.test('a swap that is cancelled before it began touches nothing and says what is', async (t) => {
  const signal = AbortSignal.abort()
  const cold = await swapBetween({ old: { running: true }, new: {} }, { signal })
  t.match(cold.result, { outcome: 'aborted', evictions: [{ outcome: 'kept' }] })
  t.same(cold.calls, ['start new'])
  const warm = await swapBetween({ new: { running: true } }, { signal })
  t.match(warm.result, { outcome: 'ready', epoch: 1 })
})
