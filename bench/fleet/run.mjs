// What a fleet costs: throughput of several agents behind one router, the time to a grant, failover, swaps over RPC and with devices, an
// agent at rest. All on one machine, with the simulated engine. Usage, after the build: node bench/fleet/run.mjs [--brief] [--json FILE]
// [--only throughput,failover,swaps,rest]. `--brief`: whether it runs at all. Exits with 0: these are figures, not a test.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine } from '../swap/lib/report.mjs'
import { failover } from './lib/failover.mjs'
import { atRest } from './lib/rest.mjs'
import { spread, told } from './lib/statistics.mjs'
import { overRpc, withDevices } from './lib/swaps.mjs'
import { throughput } from './lib/throughput.mjs'

const { values } = parseArgs({
  options: {
    brief: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string', default: 'throughput,failover,swaps,rest' },
  },
})
if (process.platform !== 'linux') {
  console.log('bench fleet: processor time is read from /proc, which this machine does not have; nothing was measured')
  process.exit(0)
}
// Where set it costs every Node process tens of milliseconds at its start
delete process.env.NODE_EXTRA_CA_CERTS
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))

const size = values.brief
  ? { counts: [1, 2], seconds: 0.5, resets: 1, silences: 0, swaps: 2, rest: 0.5 }
  : { counts: [1, 2, 4, 8], seconds: 4, resets: 12, silences: 4, swaps: 24, rest: 12 }
const folder = await mkdtemp(join(tmpdir(), 'lswap-bench-fleet-'))
const figures = { ...describeMachine() }
console.log(`${figures.date}, Node ${figures.node}, ${figures.platform}, ${figures.processors}`)

const parts = {
  async throughput() {
    let one
    for (const count of size.counts) {
      const { rate, core, grants } = await throughput({
        folder: join(folder, `t${count}`),
        count,
        seconds: size.seconds,
      })
      one ??= rate / count
      const linear = rate / (one * count)
      figures[`throughput ${count}`] = { rate, linear, core, grant: spread(grants) }
      say(
        `${count} agents`,
        `${rate.toFixed(1)} requests/s, ${linear.toFixed(2)} of linear (goal 0.90), router ${(core * 100).toFixed(0)} % of a core (bound 50)`,
      )
      say('  to a grant', `${told(spread(grants))} (goal p99 5)`)
    }
  },
  async failover() {
    const kinds = [
      ['reset', size.resets, 500],
      ['silent', size.silences, 4_000],
    ]
    for (const [kind, trials, goal] of kinds.filter(([, count]) => count > 0)) {
      const took = spread(await failover({ folder: join(folder, kind), kind, trials }))
      figures[`failover ${kind}`] = took
      say(`failover, ${kind}`, `${told(took)} (goal p95 ${goal})`)
    }
  },
  async swaps() {
    const rpc = spread(await overRpc({ folder: join(folder, 'rpc'), swaps: size.swaps }))
    const devices = spread(await withDevices({ folder: join(folder, 'devices'), swaps: size.swaps }))
    Object.assign(figures, { 'swap over RPC': rpc, 'swap with devices': devices })
    say('a swap over RPC, more', `${told(rpc)} (goal median 10)`)
    say('a swap with devices, more', `${told(devices)} (goal median 10)`)
  },
  async rest() {
    const { core, memoryMiB } = await atRest({ folder: join(folder, 'rest'), seconds: size.rest })
    Object.assign(figures, { 'at rest': { core, memoryMiB } })
    say(
      'an agent at rest',
      `${(core * 100).toFixed(2)} % of a core (goal 1), ${memoryMiB.toFixed(0)} MiB (goal 86, which is 90 MB)`,
    )
  },
}

try {
  for (const part of values.only.split(',')) await parts[part]()
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, undefined, 2)}\n`)
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function say(what, text) {
  console.log(`${what.padEnd(26)} ${text}`)
}
