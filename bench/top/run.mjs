// What `lswap top` costs on an 80×24 terminal: processor time without and with keys and at rest, and memory over long feeds.
// `--brief`: whether it runs at all. `--json FILE`: the figures. `--minutes N`: of feed for the memory. `--only events,keys,rest,memory`: some of these.
// `--seconds N`: of processor time in each case.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { root } from '../../scripts/lib/root.mjs'
import { hasTmux, openTerminal } from '../../scripts/lib/tmux.mjs'
import { openFeed } from './lib/feed.mjs'

const { values } = parseArgs({
  options: {
    brief: { type: 'boolean' },
    json: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '30' },
  },
})
const seconds = values.brief ? 1 : Number(values.seconds)
const minutes = values.brief ? 1 : Number(values.minutes)
/** Linux counts processor time in these. */
const TICKS_PER_SECOND = 100
const EVENTS_PER_SECOND = 10

if (process.platform !== 'linux' || !(await hasTmux())) {
  console.log('bench top: needs Linux and tmux; nothing was measured')
  process.exit(0)
}

const folder = await mkdtemp(join(tmpdir(), 'lswap-bench-top-'))
const feed = await openFeed()
const terminal = await openTerminal({ folder, env: { PATH: process.env.PATH, HOME: folder } })
try {
  const cli = join(root, 'packages/cli/bundle/cli.js')
  await terminal.line(`sh -c 'echo pid=$$; sleep 1; exec ${process.execPath} ${cli} top --url ${feed.url}'`)
  const pid = Number(/pid=(\d+)/.exec(await terminal.shows(/pid=\d+/))?.[1])
  await terminal.shows(/u unload/)
  const isAsked = (what) => values.only === undefined || values.only.split(',').includes(what)
  const figures = {
    ...(isAsked('events') && { 'no keys, 10 events/s, % of a core': await share(pid, () => events()) }),
    ...(isAsked('keys') && {
      '10 keys/s, 10 events/s, % of a core': await share(pid, () => Promise.all([events(), keys()])),
    }),
    ...(isAsked('rest') && { 'at rest, % of a core': await atRest(pid) }),
    ...(isAsked('memory') && (await memory(pid))),
  }
  for (const [what, value] of Object.entries(figures)) console.log(`${what.padEnd(44)} ${value}`)
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`)
} finally {
  await terminal.close()
  feed.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function events() {
  const end = performance.now() + seconds * 1000
  for (let next = performance.now(); next < end; next += 1000 / EVENTS_PER_SECOND) {
    await feed.tell()
    await pause(Math.max(0, next + 1000 / EVENTS_PER_SECOND - performance.now()))
  }
}

async function keys() {
  const end = performance.now() + seconds * 1000
  for (let at = 0; performance.now() < end; at += 1) {
    await terminal.keys(at % 40 < 20 ? 'j' : 'k')
    await pause(100)
  }
}

/** Nobody waits and nothing changes. */
async function atRest(pid) {
  feed.show(true)
  const figure = await share(pid, () => pause(seconds * 1000))
  feed.show(false)
  return figure
}

/** Processor time that the process took meanwhile, in per cent of a core. */
async function share(pid, act) {
  await pause(values.brief ? 100 : 2_000)
  const before = await ticks(pid)
  const began = performance.now()
  await act()
  const took = (performance.now() - began) / 1000
  return ((((await ticks(pid)) - before) / TICKS_PER_SECOND / took) * 100).toFixed(1)
}

async function ticks(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ')
  return Number(fields[11]) + Number(fields[12])
}

function mean(list) {
  return Math.round(list.reduce((sum, one) => sum + one, 0) / list.length)
}

/** Minutes of events as fast as they are read. */
async function memory(pid) {
  const perMinute = 60 * EVENTS_PER_SECOND
  const samples = []
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let at = 0; at < perMinute; at += 1) await feed.tell()
    await pause(50)
    samples.push(await residentMiB(pid))
  }
  const third = Math.ceil(samples.length / 3)
  return {
    [`memory, MiB, minutes 1–${third} of ${minutes}`]: mean(samples.slice(0, third)),
    [`memory, MiB, the last ${third} minutes`]: mean(samples.slice(-third)),
    'memory, MiB, the most': Math.max(...samples),
  }
}

async function residentMiB(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
