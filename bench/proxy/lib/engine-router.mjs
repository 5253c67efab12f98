import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../scripts/lib/free-port.mjs'
import { tinyModels } from '../../../scripts/lib/tiny-models.mjs'
import { startServer } from './child.mjs'
import { startLswap } from './lswap.mjs'

const startLimitMs = 60_000
const pollMs = 100
// Several threads wait for each other by spinning, and here each engine has one processor
const flags = ['--ctx-size', '1024', '--threads', '1', '--threads-http', '2', '-np', '4']

/** The same tiny model on llama-server itself, behind its own router mode, and behind lswap. */
export async function startEngineTargets({ engine, folder, pins, bundle }) {
  const [model] = await tinyModels()
  const models = join(folder, 'models')
  await mkdir(models, { recursive: true })
  await copyFile(model, join(models, 'm1.gguf'))
  const bare = [engine, ...flags, '--host', '127.0.0.1']
  const started = []
  try {
    started.push(await startEngine('direct', [...pins.load, ...bare, '--model', model], folder))
    const router = await startEngine('llama-server router', [...pins.proxy, ...bare, '--models-dir', models], folder)
    started.push(router)
    for (const pid of childrenOf(router.pid)) move(pid, pins.load)
    const command = [...pins.load, ...bare, '--model', model, '--port', '${PORT}']
    started.push(await startLswap({ bundle, folder, name: 'engine', pin: pins.proxy, engine: command, slots: 4 }))
    return started
  } catch (error) {
    await Promise.all(started.map((target) => target.close()))
    throw error
  }
}

/** A body that costs the engine as little as one can. */
export async function writeEngineBody(folder) {
  const file = join(folder, 'engine.json')
  await writeFile(
    file,
    JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1, temperature: 0, model: 'm1' }),
  )
  return file
}

async function startEngine(name, argv, folder) {
  const port = await freePort()
  const file = join(folder, `${name.replaceAll(' ', '-')}.log`)
  const log = await open(file, 'w')
  const server = startServer([...argv, '--port', String(port)], { log: log.fd, cwd: folder })
  await log.close()
  const deadline = performance.now() + startLimitMs
  while (!(await answers(port))) {
    await pause(pollMs)
    if (!server.hasEnded() && performance.now() < deadline) continue
    await server.close()
    throw new Error(`${name} did not start:\n${(await readFile(file, 'utf8')).slice(-2_000)}`)
  }
  return { name, port, ...server }
}

async function answers(port) {
  const body = JSON.stringify({ model: 'm1', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 })
  const headers = { 'content-type': 'application/json' }
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: 'POST', headers, body })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}

const childrenOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').map(Number).filter(Boolean),
  )

/** The engine of a router inherits its processor; here it goes where every engine is. */
function move(pid, pin) {
  if (pin.length > 0) spawnSync('taskset', ['-acp', pin.at(-1), String(pid)])
}
