import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cpuMicros } from './usage.mjs'

/** Bodies of these sizes in which `model` comes last, as many libraries write it; files by size. */
export async function writeBodies(folder, sizes) {
  const files = sizes.map(async (size) => {
    const before = '{"messages":[{"role":"user","content":"'
    const after = '"}],"temperature":0.7,"stream":false,"model":"m1"}'
    const filler = 'lorem ipsum dolor sit amet '.repeat(size / 27 + 1).slice(0, size - before.length - after.length)
    const file = join(folder, `${size}.json`)
    await writeFile(file, before + filler + after)
    return [size, file]
  })
  return Object.fromEntries(await Promise.all(files))
}

/**
 * The clients as functions of a target. Each resolves with what the client told, and with the processor time that the
 * target used meanwhile, in microseconds.
 */
export function createClients({ program, pin }) {
  const run = async (target, kind, words) => {
    const before = target.pid === undefined ? 0 : cpuMicros(target.pid)
    const client = startClient([...pin, program, kind, target.port, ...words])
    const told = await client.end()
    return { ...told, cpu: target.pid === undefined ? undefined : cpuMicros(target.pid) - before }
  }
  return {
    requests: (target, { connections, seconds, body }) =>
      run(target, 'requests', [connections, seconds, '/v1/chat/completions', body]),
    streams: (target, { streams, events, rate, rampMs }) => run(target, 'streams', [streams, events, rate, rampMs]),
    bodies: (target, { bytes, everyMs, seconds }) => run(target, 'bodies', [bytes, everyMs, seconds]),
    up: (target, { bytes }) => run(target, 'up', [bytes]),
    down: (target, { bytes }) => run(target, 'down', [bytes]),
    /** Opens connections and calls `meanwhile` while they lie idle. */
    async idle(target, { count }, meanwhile) {
      const client = startClient([...pin, program, 'idle', target.port, count])
      await client.firstLine
      const seen = await meanwhile()
      return { ...(await client.end()), ...seen }
    },
  }
}

/** What it prints are lines of JSON; `end` merges them. */
function startClient(argv) {
  const child = spawn(argv[0], argv.slice(1).map(String), { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const told = []
  lines.on('line', (line) => told.push(JSON.parse(line)))
  const closed = once(lines, 'close')
  return {
    firstLine: Promise.race([once(lines, 'line'), closed]),
    async end() {
      child.stdin.end()
      const [[code]] = await Promise.all([exited, closed])
      if (code !== 0) throw new Error(`${argv.join(' ')}: exit code ${code}`)
      return Object.assign({}, ...told)
    },
  }
}
