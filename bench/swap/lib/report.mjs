import { cpus, release } from 'node:os'

const goal = { medianMs: 10, p95Ms: 25 }

export const describeMachine = () => ({
  date: new Date().toISOString(),
  node: process.version,
  platform: `${process.platform} ${release()} ${process.arch}`,
  processors: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
})

/** Nearest rank: the smallest value that this share of all values does not exceed. */
const rank = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]

function spreadOf(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share) => rank(sorted, share)
  return { min: at(0), p25: at(0.25), median: at(0.5), p75: at(0.75), p95: at(0.95), max: at(1) }
}

/** Each column's spread over all rounds, and whether the overhead meets the goal. */
export function summarise(rounds) {
  const column = (pick) => spreadOf(rounds.map(pick))
  const overhead = column((round) => round.overhead)
  return {
    overhead,
    lswap: column(({ lswap }) => lswap.total),
    direct: column(({ direct }) => direct.total),
    parts: {
      'stop, lswap': column(({ lswap }) => lswap.stop),
      'stop, direct': column(({ direct }) => direct.stop),
      'start to ready, lswap': column(({ lswap }) => lswap.ready),
      'start to ready, direct': column(({ direct }) => direct.ready),
      'rest, lswap': column(({ lswap }) => lswap.rest),
      'first answer, direct': column(({ direct }) => direct.answer),
      'second answer, direct': column(({ direct }) => direct.again),
    },
    goal: { ...goal, isMet: overhead.median <= goal.medianMs && overhead.p95 <= goal.p95Ms },
  }
}

const headings = ['min', 'p25', 'median', 'p75', 'p95', 'max']
const row = (name, cells) => `  ${name.padEnd(24)}${cells.map((cell) => cell.padStart(9)).join('')}`
const figures = (name, spread) =>
  row(
    name,
    headings.map((heading) => spread[heading].toFixed(1)),
  )

function formatResult({ engine, missing, summary, rounds }) {
  if (missing !== undefined) return `${engine} engine: not measured, ${missing}`
  const { overhead, lswap, direct, parts, goal: judged } = summary
  const verdict = judged.isMet ? 'GOAL MET' : 'GOAL MISSED'
  return [
    row(`${engine} engine, ms`, headings),
    figures('through lswap', lswap),
    figures('directly', direct),
    figures('overhead', overhead),
    ...Object.entries(parts).map(([name, spread]) => figures(`· ${name}`, spread)),
    `  ${verdict} over ${rounds.length} swaps: overhead median ${overhead.median.toFixed(1)} ms (goal ${judged.medianMs}), ` +
      `p95 ${overhead.p95.toFixed(1)} ms (goal ${judged.p95Ms})`,
  ].join('\n')
}

export function formatReport({ date, node, platform, processors, cpus: pinned, results }) {
  const pins = pinned === undefined ? '' : `, on processors ${pinned}`
  const head = `${date}, Node ${node}, ${platform}, ${processors}${pins}`
  return [head, ...results.map(formatResult)].join('\n\n')
}
