import { spread } from './statistics.mjs'

/**
 * What the rounds of one cell come to for one target. `added`: beyond the direct way in the same round; `ratio`: to the
 * reference in the same round.
 */
function summariseTarget({ kind, rounds }, name, reference) {
  const over = (pick) => spread(rounds.map(pick))
  const of = (round) => round[name]
  const added = {
    addedP50: over((round) => of(round).p50 - round.direct.p50),
    addedP99: over((round) => of(round).p99 - round.direct.p99),
  }
  const common = {
    p50: over((round) => of(round).p50),
    p99: over((round) => of(round).p99),
    ...(name === 'direct' ? {} : added),
  }
  const toReference = (pick) =>
    reference === undefined || name === 'direct' ? undefined : over((round) => pick(of(round)) / pick(round[reference]))
  const hasCpu = rounds[0][name].cpu !== undefined
  if (kind === 'requests') {
    return {
      ...common,
      perSecond: over((round) => of(round).perSecond),
      ratio: toReference((one) => one.perSecond),
      cpuMicros: hasCpu ? over((round) => of(round).cpu / of(round).count) : undefined,
      cpuRatio: hasCpu ? toReference((one) => one.cpu / one.count) : undefined,
    }
  }
  return {
    ...common,
    cpuMicros: hasCpu ? over((round) => of(round).cpu / of(round).chunks) : undefined,
    cpuRatio: hasCpu ? toReference((one) => one.cpu / one.chunks) : undefined,
  }
}

/** `reference`: the target that ratios are to; undefined when it was not there. */
export const summariseCells = (cells, reference) =>
  cells.map((cell) => {
    const names = Object.keys(cell.rounds[0]).toSorted()
    const targets = names.map((name) => [name, summariseTarget(cell, name, reference)])
    return { name: cell.name, kind: cell.kind, targets: Object.fromEntries(targets) }
  })
