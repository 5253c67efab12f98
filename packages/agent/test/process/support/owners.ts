import { randomUUID } from 'node:crypto'
import { epoch as epochOf } from '@lswap/core'
import type { Epoch, Failure, ModelConfig } from '@lswap/core'
import { atEnd } from '@lswap/core/test-support'
import type { Test } from 'tap'
import { createModelLog } from '../../../src/logs/model-log.ts'
import type { ModelLog } from '../../../src/logs/model-log.ts'
import { createExitGuard } from '../../../src/process/exit-guard.ts'
import { createProcessOwner } from '../../../src/process/owner.ts'
import type { ProcessOwner } from '../../../src/process/owner.ts'
import { createPortBook } from '../../../src/process/port-book.ts'
import { NO_RUN_FILES } from '../../../src/state/run-files.ts'
import { createFakeConnections } from './connections.ts'
import type { FakeConnections } from './connections.ts'
import { recordedLog } from './recorded-log.ts'
import type { RecordedLog } from './recorded-log.ts'

export interface Rig {
  readonly owner: ProcessOwner
  readonly output: ModelLog
  readonly log: RecordedLog
  /** One for each time that the process became ready. */
  readonly connections: FakeConnections[]
  readonly crashes: { readonly epoch: Epoch; readonly failure: Failure }[]
  /** How many processes were started. */
  starts(): number
  /** Wants it ready, for ever. */
  ready(): ReturnType<ProcessOwner['ensureReady']>
}

export const GONE: Failure = { code: 'unloaded', message: 'unloaded by the test' }

/** The owner of one model with real processes and pretended connections. */
export const ownerOf = (
  t: Test,
  model: ModelConfig,
  stuckAfterMs = 5_000,
  ports = createPortBook(new Set([model.port])),
  runs = NO_RUN_FILES,
): Rig => {
  const connections: FakeConnections[] = []
  const crashes: { epoch: Epoch; failure: Failure }[] = []
  const output = createModelLog()
  const log = recordedLog()
  let starts = 0
  const context = {
    model,
    log,
    output,
    guard: createExitGuard(model, log),
    ports,
    state: { bootId: randomUUID(), runs },
    stuckAfterMs,
    openConnections: () => {
      const opened = createFakeConnections()
      connections.push(opened)
      return opened
    },
  }
  const nextEpoch = (): Epoch => epochOf((starts += 1))
  const owner = createProcessOwner(context, {
    nextEpoch,
    onExited: (epoch, failure) => crashes.push({ epoch, failure }),
  })
  atEnd(t, () => owner.ensureStopped({ drainMs: 0, failure: GONE, now: true }))
  const ready = (): ReturnType<ProcessOwner['ensureReady']> =>
    owner.ensureReady({ signal: new AbortController().signal })
  return { owner, output, log, connections, crashes, starts: () => starts, ready }
}
