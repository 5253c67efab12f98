const seconds = (ms) => (ms / 1_000).toFixed(ms < 99_950 ? 1 : 0)
const COLUMNS = [
  ['policy', ({ policy }) => policy],
  ['swaps', ({ swaps }) => pair(swaps, String)],
  ['wasted', ({ wastedLoads }) => pair(wastedLoads, String)],
  ['makespan', ({ makespanMs }) => pair(makespanMs, seconds)],
  ...['urgent', 'normal', 'batch'].flatMap((band) =>
    ['P50', 'P95', 'Max'].map((what) => [
      `${band} ${what.toLowerCase()}`,
      (row) => pair(row[`${band}${what}Ms`], seconds),
    ]),
  ),
  ['jain', ({ jainFairness }) => pair(jainFairness, (value) => value.toFixed(2))],
]

/** A table as text; bands that no row has are left out. */
export function tableOf(rows) {
  const columns = COLUMNS.filter(([, cell]) => rows.some((row) => cell(row) !== '-'))
  const lines = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at].length)))
  return lines
    .map((line) => line.map((text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))).join('  '))
    .join('\n')
}

const pair = (value, print) => (value === undefined ? '-' : `${print(value.median)}/${print(value.worst)}`)
