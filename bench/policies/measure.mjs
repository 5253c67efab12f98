import { ANONYMOUS, fleetOf, readTrace, simulateWith, withoutPriorities } from '../../packages/core/dist/src/index.js'
import { excessMs, observed } from './bound.mjs'

/** Each policy's figures on a trace's parameters with one seed, by policy name. */
export function measureSeed(head, policies) {
  const trace = readTrace(JSON.stringify(head))
  const fleet = fleetOf(head.fleet)
  return Object.fromEntries(policies.map((policy) => [policy.name, figuresOf(policy, trace, fleet)]))
}

function figuresOf({ scheduler, flat, keyless, bound }, trace, fleet) {
  const heard = flat ? withoutPriorities(trace) : trace
  const played = keyless ? { ...heard, callers: heard.callers.map(() => ANONYMOUS) } : heard
  const real = scheduler(played, fleet)
  const watched = bound === undefined ? undefined : observed(real)
  const result = simulateWith(watched?.scheduler ?? real, played, fleet)
  const { swaps, waits, makespanMs, idleMs, wastedLoads, jainFairness, agingReorders, affinityReorders } = result
  return {
    swaps,
    wastedLoads,
    makespanMs,
    idleMs,
    jainFairness,
    agingReorders,
    affinityReorders,
    ...bandFigures('urgent', waits.urgent),
    ...bandFigures('normal', waits.normal),
    ...bandFigures('batch', waits.batch),
    ...(watched === undefined
      ? {}
      : { boundExcessMs: excessMs(watched.requests, { ...bound, loadMs: fleet.hosts[0].engine.loadMs }) }),
  }
}

const bandFigures = (band, { p50Ms, p95Ms, maxMs }) => ({
  [`${band}P50Ms`]: p50Ms,
  [`${band}P95Ms`]: p95Ms,
  [`${band}MaxMs`]: maxMs,
})

/** Of the seeds that have the figure: the median (the lower one of two) and the worst. */
export function overSeeds(figures, pick, worst = Math.max) {
  const values = figures.map((one) => pick(one)).filter((value) => value !== undefined)
  if (values.length === 0) return undefined
  return { median: values.toSorted((a, b) => a - b)[(values.length - 1) >> 1], worst: worst(...values) }
}
