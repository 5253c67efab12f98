// What lswap costs as a proxy, beside nginx and haproxy, and beside llama-server's own router mode.
// Usage, after the build: node bench/proxy/run.mjs [--rounds 5] [--seconds 1.5] [--only proxy,memory,engine] [--brief]
//   [--bundle DIR] [--engine PATH] [--json]
//
// Needs Linux and a C compiler (`cc`): engine and clients are C, so that they are never what is measured. Uses nginx and
// haproxy where they are installed (Debian: nginx-light, haproxy) and starts them itself; `--engine` names a llama-server
// for the comparison with its router mode. Proxies get one processor, clients and engine another. All of them are up all
// the time and measured in turn in each round; ratios are to the same round. Always exits with 0: these are figures, not a test.
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../scripts/lib/root.mjs'
import { buildNative } from './lib/build.mjs'
import { bodySizes, cellsOf } from './lib/cells.mjs'
import { createClients, writeBodies } from './lib/clients.mjs'
import { startEngineTargets, writeEngineBody } from './lib/engine-router.mjs'
import { judge } from './lib/goals.mjs'
import { startLswap } from './lib/lswap.mjs'
import { measureMemory } from './lib/memory.mjs'
import { chooseProcessors } from './lib/processors.mjs'
import { startReferences } from './lib/references.mjs'
import { formatReport } from './lib/report.mjs'
import { measureRounds, warmUp } from './lib/rounds.mjs'
import { summariseCells } from './lib/summary.mjs'

const wanted = readCommandLine()
// Where set it costs every Node process tens of milliseconds at its start.
delete process.env.NODE_EXTRA_CA_CERTS
// Without a listener a signal ends the process with no 'exit' event, and servers stay.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))

const folder = await mkdtemp(join(tmpdir(), 'lswap-bench-proxy-'))
const pins = chooseProcessors()
const load = [loadNow()]
const missing = []
const say = (line) => process.stderr.write(`${line}\n`)
try {
  const programs = await buildNative(folder)
  const clients = createClients({ program: programs.load, pin: pins.load })
  const startOne = (name) =>
    startLswap({
      bundle: wanted.bundle,
      folder,
      name,
      pin: pins.proxy,
      engine: [...pins.load, programs.upstream, '${PORT}'],
      slots: 4096,
    })
  const results = {
    cells: wanted.only.has('proxy') ? await benchProxies({ clients, startOne }) : undefined,
    engine: wanted.only.has('engine') ? await benchEngine({ clients }) : undefined,
    memory: wanted.only.has('memory')
      ? await measureMemory({ clients, start: () => startOne('memory'), ...wanted.memory })
      : undefined,
  }
  load.push(loadNow())
  const report = { ...describe(), ...results, goals: wanted.brief ? [] : judge(results) }
  console.log(wanted.json ? JSON.stringify(report, undefined, 2) : formatReport(report))
} catch (error) {
  console.error(`bench/proxy: ${error.message}`)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function benchProxies({ clients, startOne }) {
  const lswap = await startOne('proxy')
  const direct = { name: 'direct', port: lswap.enginePort }
  const found = wanted.brief
    ? { targets: [], missing: [] }
    : await startReferences({ folder, pin: pins.proxy, enginePort: lswap.enginePort })
  missing.push(...found.missing.map((name) => `${name}, which is not installed`))
  const targets = [direct, lswap, ...found.targets]
  try {
    const cells = cellsOf({ ...wanted, bodies: await writeBodies(folder, bodySizes) })
    await warmUp({ clients, targets, cells, brief: wanted.brief })
    const measured = await measureRounds({ clients, targets, cells, rounds: wanted.rounds, say })
    const reference = targets.some(({ name }) => name === 'nginx') ? 'nginx' : undefined
    return summariseCells(measured, reference)
  } finally {
    await Promise.all([lswap, ...found.targets].map((target) => target.close()))
  }
}

async function benchEngine({ clients }) {
  if (wanted.engine === undefined) {
    missing.push('llama-server and its router mode, for want of --engine PATH')
    return undefined
  }
  const targets = await startEngineTargets({ engine: wanted.engine, folder, pins, bundle: wanted.bundle })
  try {
    const body = await writeEngineBody(folder)
    const cell = {
      name: 'engine, c=1',
      kind: 'requests',
      measure: (how, target) => how.requests(target, { connections: 1, seconds: wanted.seconds, body }),
    }
    await warmUp({ clients, targets, cells: [cell], brief: wanted.brief })
    const measured = await measureRounds({ clients, targets, cells: [cell], rounds: wanted.rounds, say })
    return summariseCells(measured, 'llama-server router')
  } finally {
    await Promise.all(targets.map((target) => target.close()))
  }
}

function describe() {
  return {
    date: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${release()} ${process.arch}`,
    processors: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    pins: pins.said,
    rounds: wanted.rounds,
    seconds: wanted.seconds,
    load,
    missing,
  }
}

function loadNow() {
  return loadavg()[0].toFixed(1)
}

function readCommandLine() {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        only: { type: 'string', default: 'proxy,memory,engine' },
        brief: { type: 'boolean', default: false },
        bundle: { type: 'string', default: join(root, 'packages/cli/bundle') },
        engine: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    if (process.platform !== 'linux') throw new Error('needs Linux (epoll, /proc)')
    const only = new Set(values.only.split(','))
    const unknown = [...only].find((name) => !['proxy', 'memory', 'engine'].includes(name))
    if (unknown !== undefined) throw new Error(`--only ${unknown}: proxy, memory or engine`)
    const positive = (name, otherwise) => {
      const number = Number(values[name] ?? otherwise)
      if (!(number > 0)) throw new Error(`--${name} ${values[name]}: not a positive number`)
      return number
    }
    const rounds = Math.ceil(positive('rounds', values.brief ? 1 : 5))
    const seconds = positive('seconds', values.brief ? 0.1 : 1.5)
    const connections = values.brief ? [8] : [1, 64, 256]
    const memory = values.brief ? { bytes: 64 * 1024 * 1024, connections: 200, waitMs: 0 } : {}
    return { ...values, only, rounds, seconds, connections, memory }
  } catch (error) {
    console.error(`bench/proxy: ${error.message}`)
    return process.exit(2)
  }
}
