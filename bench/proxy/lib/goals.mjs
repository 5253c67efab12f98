// What lswap is to reach, on one processor. `of` takes the summary of the cell that is named and gives the figure.

const toNginx = (least) => ({ least, what: 'requests/s ÷ nginx', of: ({ lswap }) => lswap.ratio?.median })
const byNginx = (pick) => (targets) => targets.nginx && pick(targets)
const addedRatio = ({ lswap, nginx }) => lswap.addedP50.median / nginx.addedP50.median

const PROXY = [
  { cell: '1 KB, c=1', ...toNginx(0.7) },
  { cell: '1 KB, c=64', ...toNginx(0.55) },
  { cell: '64 KB, c=64', ...toNginx(0.4) },
  { cell: '1 KB, c=1', most: 1.6, what: 'added p50 ÷ nginx’s', of: byNginx(addedRatio) },
  { cell: '500 streams', most: 1.6, what: 'CPU per chunk ÷ nginx', of: ({ lswap }) => lswap.cpuRatio?.median },
  { cell: '500 streams', most: 1.5, what: 'added p50 ÷ nginx’s', of: byNginx(addedRatio) },
  {
    cell: '500 streams',
    most: 2,
    what: 'p99 − nginx’s, ms',
    of: byNginx(({ lswap, nginx }) => (lswap.addedP99.median - nginx.addedP99.median) / 1000),
  },
  {
    cell: '100 streams beside 20 MB bodies',
    most: 15,
    what: 'p99 of the streams, ms',
    of: ({ lswap }) => lswap.p99.median / 1000,
  },
]

const ROUTER = 'llama-server router'
const ENGINE = [
  { cell: 'engine, c=1', least: 1.8, what: 'requests/s ÷ router mode', of: ({ lswap }) => lswap.ratio?.median },
  {
    cell: 'engine, c=1',
    most: 0.4,
    what: 'added p50 ÷ router mode’s',
    of: (targets) => targets[ROUTER] && targets.lswap.addedP50.median / targets[ROUTER].addedP50.median,
  },
]

const MEMORY = [
  { what: 'memory at rest, MiB', most: 90, of: ({ rest }) => rest.residentMiB },
  { what: 'peak with 1 GiB up, MiB', most: 200, of: ({ up }) => up.peakMiB },
  { what: 'peak with 1 GiB down, MiB', most: 200, of: ({ down }) => down.peakMiB },
  {
    what: '10,000 idle connections, MiB',
    most: 250,
    of: ({ idle }) => (idle.held >= 10_000 ? idle.residentMiB : undefined),
  },
]

const inCells = (goals, list) =>
  goals.flatMap((goal) => list.filter(({ name }) => name === goal.cell).map(({ targets }) => judged(goal, targets)))

/** Each goal with what was reached; without a figure it was not measured. */
export function judge({ cells = [], engine = [], memory }) {
  return [
    ...inCells(PROXY, cells),
    ...inCells(ENGINE, engine),
    ...(memory === undefined ? [] : MEMORY.map((goal) => judged(goal, memory))),
  ]
}

function judged({ cell, what, least, most, of }, measured) {
  const reached = of(measured)
  if (reached === undefined) return { cell, what, least, most }
  return { cell, what, least, most, reached, isMet: reached >= (least ?? -Infinity) && reached <= (most ?? Infinity) }
}
