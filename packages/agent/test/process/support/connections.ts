import type { Failure } from '@lswap/core'
import type { EngineConnections } from '../../../src/process/engine-connections.ts'

/** Connections without sockets: a test says when requests run and end. */
export interface FakeConnections extends EngineConnections {
  readonly closedWith: Failure[]
  readonly passiveCutWith: Failure[]
  begin(): void
  end(): void
}

export const createFakeConnections = (): FakeConnections => {
  const closedWith: Failure[] = []
  const passiveCutWith: Failure[] = []
  const waiting: (() => void)[] = []
  let running = 0
  return {
    closedWith,
    passiveCutWith,
    begin: () => {
      running += 1
    },
    end: () => {
      running -= 1
      if (running === 0) for (const resolve of waiting) resolve()
    },
    forward: () => ({ abort: () => {}, resume: () => {}, write: () => true, end: () => {} }),
    active: () => running,
    cutPassive: (failure) => passiveCutWith.push(failure),
    drained: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close: (failure) => closedWith.push(failure),
  }
}
