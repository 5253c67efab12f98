import type { AgentLook, ProcessState } from '@lswap/core/protocol'

export const processIn = (
  model: string,
  phase: ProcessState['phase'],
  changes: Partial<ProcessState> = {},
): ProcessState => ({
  model,
  phase,
  epoch: phase === 'stopped' ? null : 1,
  pid: phase === 'stopped' ? null : 4_711,
  slots: null,
  url: null,
  since: 1_000,
  memoryBytes: null,
  lastExit: null,
  ...changes,
})

export const lookOf = (states: readonly ProcessState[], changes: Partial<AgentLook> = {}): AgentLook => ({
  at: 1_000,
  memory: null,
  devices: [],
  processes: [],
  event: 0,
  isInUse: false,
  states: [...states],
  ...changes,
})

const GIB = 2 ** 30

export const gpuIn = (changes: Partial<AgentLook['devices'][number]> = {}): AgentLook['devices'][number] => ({
  name: 'gpu0',
  label: 'a card',
  source: 'nvidia',
  totalBytes: 24 * GIB,
  usedBytes: 18 * GIB,
  use: 0.5,
  temperatureC: 60,
  powerWatts: 200,
  sampledAt: 1_000,
  ...changes,
})

export const exited = (reason: string, ...lastLines: readonly string[]): ProcessState['lastExit'] => ({
  code: 1,
  signal: null,
  reason,
  lastLines: [...lastLines],
})
