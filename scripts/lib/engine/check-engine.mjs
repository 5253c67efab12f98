import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '../free-port.mjs'
import { writeModel } from '../gguf/model-file.mjs'
import { NoEngine } from './no-engine.mjs'

const startMs = 30_000
const answerMs = 30_000
const endMs = 5_000

const shape = {
  layers: 2,
  dim: 64,
  heads: 4,
  kvHeads: 2,
  ff: 128,
  ctx: 512,
  type: 'f32',
  seed: 1,
  pieces: 50,
  name: 'check',
  eosBias: -8,
  template: true,
}

/** Proves that an engine works: loads a made-up model and lets it answer; throws with what it said otherwise. */
export async function checkEngine({ file, scratch }) {
  const model = join(scratch, 'check.gguf')
  await writeModel(model, shape)
  const port = await freePort()
  const child = spawn(file, ['-m', model, '--host', '127.0.0.1', '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log = (log + text).slice(-2000)
  })
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(`ended with ${code ?? signal}`))
  })
  try {
    const url = `http://127.0.0.1:${port}`
    await Promise.race([answers(url), ended.then((how) => Promise.reject(new Error(how)))])
  } catch (error) {
    const last = log.trim().split('\n').at(-1) ?? ''
    throw new NoEngine('unavailable', `the engine does not work: ${error.message}; ${last}`, { cause: error })
  } finally {
    child.kill('SIGTERM')
    const timer = setTimeout(kill, endMs)
    await ended
    clearTimeout(timer)
    process.off('exit', kill)
  }
}

async function answers(url) {
  const deadline = performance.now() + startMs
  for (;;) {
    const status = await statusOf(`${url}/health`)
    if (status === 200) break
    if (performance.now() > deadline) throw new Error(`/health not 200 within ${startMs / 1000} s, last: ${status}`)
    await new Promise((resolve) => void setTimeout(resolve, 20))
  }
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ max_tokens: 4, messages: [{ role: 'user', content: 'hello' }] }),
    signal: AbortSignal.timeout(answerMs),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`a chat gave ${answer.status} ${text.slice(0, 300)}`)
  if (JSON.parse(text).usage.completion_tokens !== 4) throw new Error(`a chat gave ${text.slice(0, 300)}`)
}

async function statusOf(url) {
  try {
    // The engine closes the connection after every answer but 200.
    const answer = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(2_000) })
    await answer.text()
    return answer.status
  } catch (error) {
    return error.cause?.code ?? error.message
  }
}
