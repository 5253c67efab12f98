function digits(value) {
  const size = Math.abs(value)
  return value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0)
}

const shown = (figure) =>
  figure === undefined ? '–' : `${digits(figure.median)} (${digits(figure.min)}…${digits(figure.max)})`

const COLUMNS = {
  requests: [
    ['req/s', ({ perSecond }) => shown(perSecond)],
    ['÷ reference', ({ ratio }) => shown(ratio)],
    ['p50 µs', ({ p50 }) => shown(p50)],
    ['added p50', ({ addedP50 }) => shown(addedP50)],
    ['added p99', ({ addedP99 }) => shown(addedP99)],
    ['CPU µs', ({ cpuMicros }) => shown(cpuMicros)],
    ['CPU ÷ reference', ({ cpuRatio }) => shown(cpuRatio)],
  ],
  streams: [
    ['p50 µs', ({ p50 }) => shown(p50)],
    ['p99 µs', ({ p99 }) => shown(p99)],
    ['added p50', ({ addedP50 }) => shown(addedP50)],
    ['added p99', ({ addedP99 }) => shown(addedP99)],
    ['CPU ms / 1,000', ({ cpuMicros }) => shown(cpuMicros)],
    ['CPU ÷ reference', ({ cpuRatio }) => shown(cpuRatio)],
  ],
}
COLUMNS.beside = COLUMNS.streams

const row = (name, texts) => `  ${name.padEnd(20)}${texts.map((text) => text.padStart(25)).join('')}`.trimEnd()

function formatCell({ name, kind, targets }) {
  const columns = COLUMNS[kind]
  const head = row(
    name.slice(0, 34),
    columns.map(([title]) => title),
  )
  const rows = Object.entries(targets).map(([target, figures]) =>
    row(
      `· ${target}`,
      columns.map(([, cell]) => cell(figures)),
    ),
  )
  return [head, ...rows].join('\n')
}

const soonAndLater = ({ residentMiB, laterMiB, waitedMs }) =>
  `${digits(residentMiB)} (after ${waitedMs / 1_000} s ${digits(laterMiB)})`

const formatMemory = ({ rest, up, down, idle }) =>
  [
    `  memory of lswap, MiB: at rest ${soonAndLater(rest)}, peak with ${up.MiB} MiB up ${digits(up.peakMiB)} (${digits(up.seconds)} s),`,
    ` down ${digits(down.peakMiB)} (${digits(down.seconds)} s), with ${idle.held} of ${idle.opened} idle connections held ${soonAndLater(idle)}`,
  ].join('')

function formatGoal({ cell, what, least, most, reached, isMet }) {
  const wanted = least === undefined ? `≤ ${most}` : `≥ ${least}`
  const verdict = reached === undefined ? 'not measured' : `${digits(reached)} ${isMet ? 'met' : 'MISSED'}`
  return `  ${(cell ?? 'memory').padEnd(34)}${what.padEnd(32)}${wanted.padEnd(8)}${verdict}`
}

export function formatReport(report) {
  const { date, node, platform, processors, load, pins, rounds, missing, cells, engine, memory, goals } = report
  const head = [
    `${date}, Node ${node}, ${platform}, ${processors}, ${pins}`,
    `${rounds} rounds, median (min…max); load of the machine before and after: ${load.join(', ')}`,
    ...missing.map((what) => `not measured: ${what}`),
  ]
  const blocks = [...(cells ?? []), ...(engine ?? [])].map(formatCell)
  if (memory !== undefined) blocks.push(formatMemory(memory))
  if (goals.length > 0) blocks.push(['  goals', ...goals.map(formatGoal)].join('\n'))
  return [head.join('\n'), ...blocks].join('\n\n')
}
