import { BANDS, type SchedulerStats } from '@lswap/core'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { RunLoop } from '../loop.ts'

type Source = Pick<RunLoop, 'view' | 'stats'>

/** What the scheduler knows, read when somebody asks: the same numbers as in `lswap queue`. */
export const addSchedulerMetrics = (source: Source, registers: Registry[]): void => {
  addBands(source, registers)
  addReorders(source, registers)
  addPlacements(source, registers)
}

const addBands = ({ stats }: Source, registers: Registry[]): void => {
  const labelNames = ['band']
  const depth = new Gauge({
    name: 'lswap_queue_depth',
    help: 'Requests that wait, by band.',
    labelNames,
    registers,
    collect: () => {
      const { bands } = stats()
      for (const band of BANDS) depth.set({ band }, bands[band].depth)
    },
  })
  const oldest = new Gauge({
    name: 'lswap_queue_oldest_wait_seconds',
    help: 'How long the oldest waiting request has waited, by band.',
    labelNames,
    registers,
    collect: () => {
      const { bands } = stats()
      for (const band of BANDS) oldest.set({ band }, bands[band].oldestWaitMs / 1000)
    },
  })
  const dispatched = new Counter({
    name: 'lswap_dispatched_total',
    help: 'Requests that were granted a model, by band.',
    labelNames,
    registers,
    collect: () => {
      const { bands } = stats()
      dispatched.reset()
      for (const band of BANDS) dispatched.inc({ band }, bands[band].dispatched)
    },
  })
}

/** The scheduler counts, so that these grow like any counter. */
const addReorders = ({ stats }: Source, registers: Registry[]): void => {
  const kinds: readonly (readonly [name: string, help: string, of: (stats: SchedulerStats) => number])[] = [
    ['aging', 'Dispatches in which aging changed which request was picked.', (now) => now.agingReorders],
    ['affinity', 'Dispatches in which swap affinity changed which request was picked.', (now) => now.affinityReorders],
  ]
  for (const [kind, help, of] of kinds) {
    const counter = new Counter({
      name: `lswap_${kind}_reorders_total`,
      help,
      registers,
      collect: () => {
        counter.reset()
        counter.inc(of(stats()))
      },
    })
  }
}

const addPlacements = ({ view }: Source, registers: Registry[]): void => {
  const inFlight = new Gauge({
    name: 'lswap_in_flight',
    help: 'Requests that a model serves now.',
    labelNames: ['model', 'host'],
    registers,
    collect: () => {
      inFlight.reset()
      for (const [model, { placements }] of view().models) {
        for (const { placement, inFlight: count } of placements) inFlight.set({ model, host: placement.host }, count)
      }
    },
  })
  const state = new Gauge({
    name: 'lswap_model_state',
    help: '1 for the state that a model is in.',
    labelNames: ['model', 'host', 'state'],
    registers,
    collect: () => {
      state.reset()
      for (const [model, { placements }] of view().models) {
        for (const { placement, phase } of placements) state.set({ model, host: placement.host, state: phase }, 1)
      }
    },
  })
  const up = new Gauge({
    name: 'lswap_host_up',
    help: '1 when the agent of a host answers.',
    labelNames: ['host'],
    registers,
    collect: () => {
      up.reset()
      for (const { host, up: isUp } of view().hosts) up.set({ host }, isUp ? 1 : 0)
    },
  })
}
