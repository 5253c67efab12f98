import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../scripts/lib/free-port.mjs'
import { startServer, untilListening } from './child.mjs'

/**
 * `lswap serve` as it is shipped, its log in a file, with one model `m1` that runs on a port of its own.
 * `engine`: its command line, with a placeholder for the port; `slots`: how many requests it takes at once.
 */
export async function startLswap({ bundle, folder, name, pin, engine, slots, nodeFlags = [] }) {
  const [port, enginePort] = [await freePort(), await freePort()]
  const config = join(folder, `${name}.yaml`)
  const log = join(folder, `${name}.log`)
  const cmd = engine.map((word) => JSON.stringify(String(word).replaceAll('${PORT}', enginePort))).join(' ')
  await writeFile(
    config,
    JSON.stringify({ models: { m1: { cmd, proxy: `http://127.0.0.1:${enginePort}`, concurrencyLimit: slots } } }),
  )
  const argv = [process.execPath, ...nodeFlags, join(bundle, 'cli.js'), 'serve', '--config', config]
  const file = await open(log, 'w')
  const server = startServer([...pin, ...argv, '--listen', `127.0.0.1:${port}`], {
    log: file.fd,
    env: { LSWAP_STATE_DIR: join(folder, `${name}-state`) },
  })
  await file.close()
  try {
    await untilListening(port, server)
    await load(port)
  } catch (error) {
    await server.close()
    throw new Error(`lswap did not start:\n${await readFile(log, 'utf8')}`, { cause: error })
  }
  return { name: 'lswap', port, enginePort, ...server }
}

async function load(port) {
  const body = JSON.stringify({ model: 'm1', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: 'POST', headers, body })
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${await answer.text()}`)
  await answer.arrayBuffer()
}
