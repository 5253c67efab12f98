import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stringify } from 'yaml'
import { askModel } from './ask.mjs'

const startLimitMs = 30_000

/** `lswap serve` with these models on a free port, asked for one after the other by a client that keeps its connection. */
export async function createThroughLswap({ models, bundle, folder }) {
  await mkdir(folder, { recursive: true })
  const config = join(folder, 'lswap.yaml')
  await writeFile(config, configText(models))
  const args = [join(bundle, 'cli.js'), 'serve', '--config', config, '--listen', '127.0.0.1:0', '--log-format', 'json']
  const env = { ...process.env, LSWAP_STATE_DIR: join(folder, 'state') }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  // SIGTERM lets it end its engines.
  const end = () => child.kill('SIGTERM')
  process.once('exit', end)
  const exited = once(child, 'exit')
  const log = createLogReader(child.stderr)
  const port = await listeningPort(child, log)
  const agent = new Agent({ keepAlive: true })

  return {
    /** What the client saw, and the parts of it that lswap tells in its log, all in milliseconds. */
    async swapTo(at) {
      const swapped = log.nextSwap()
      const total = await askModel({ port, agent, model: models[at].id })
      const { stopMs: stop, loadMs: ready } = await swapped
      return { total, stop, ready, rest: total - stop - ready }
    },
    async close() {
      agent.destroy()
      end()
      await exited
      process.off('exit', end)
    },
  }
}

function configText(models) {
  const entries = models.map(({ id, argv }) => [id, { cmd: argv.map((word) => `"${word}"`).join(' ') }])
  return stringify({ models: Object.fromEntries(entries), routing: { router: { use: 'exclusive' } } }, { lineWidth: 0 })
}

function createLogReader(stream) {
  let waiting
  const last = []
  createInterface({ input: stream }).on('line', (line) => {
    last.push(line)
    if (last.length > 20) last.shift()
    if (!line.includes('"swap ended"')) return
    waiting?.(JSON.parse(line))
    waiting = undefined
  })
  return {
    nextSwap: () =>
      new Promise((resolve) => {
        waiting = resolve
      }),
    last: () => last.join('\n'),
  }
}

async function listeningPort(child, log) {
  const listening = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.once('exit', (code) => reject(new Error(`lswap serve ended with ${code}:\n${log.last()}`)))
    setTimeout(() => reject(new Error(`lswap serve was not up in time:\n${log.last()}`)), startLimitMs).unref()
  })
  return listening
}
