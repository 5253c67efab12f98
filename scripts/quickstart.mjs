// Serves what this machine has: finds an engine and models, starts lswap on them and shows how to see a swap.
// `scripts/quickstart` installs and builds first and then comes here.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cacheDir } from './lib/cache-dir.mjs'
import { isFree } from './lib/free-port.mjs'
import { configText } from './lib/quickstart/config.mjs'
import { help } from './lib/quickstart/help.mjs'
import { chooseModels } from './lib/quickstart/models.mjs'
import { send, swapRequests } from './lib/quickstart/requests.mjs'
import { startRouter } from './lib/quickstart/router.mjs'
import { realEngine } from './lib/real-engine.mjs'

const say = (line) => console.error(`quickstart: ${line}`)

const { values } = parseArgs({
  options: { port: { type: 'string' }, once: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
  process.stdout.write(help)
} else {
  process.exitCode = await quickstart(Number(values.port ?? process.env.LSWAP_PORT ?? 8080))
}

async function quickstart(port) {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    say('--port takes a number from 1 to 65535')
    return 2
  }
  if (!(await isFree(port))) {
    say(`another program listens on port ${port}. Give another: scripts/quickstart --port ${port + 1}`)
    return 5
  }
  const url = `http://127.0.0.1:${port}`
  // One folder for each port: two quickstarts at a time, or one beside another lswap, do not meet.
  const folder = join(cacheDir(), 'quickstart', String(port))
  await mkdir(folder, { recursive: true })
  const { args, ids } = await whatToServe(folder)
  const stateDir = process.env.LSWAP_STATE_DIR ?? join(folder, 'state')
  const router = await startRouter({ url, stateDir, args: [...args, '--listen', `127.0.0.1:${port}`] })
  if (router.exited() !== undefined) return router.exited().exitCode ?? 1

  const requests = swapRequests(url, ids)
  if (values.once) return once(router, requests)
  console.log(
    `\nlswap serves ${ids.join(' and ')} on ${url}, one at a time. Ask one, then the other, and see it swap:\n`,
  )
  for (const { curl } of requests) console.log(`${curl}\n`)
  console.log('Ctrl-C stops lswap and its engine.\n')
  return (await router.ended).exitCode ?? 1
}

/** The arguments for `lswap serve` and the ids of the models it will know. */
async function whatToServe(folder) {
  say('looking for llama-server')
  const engine = await realEngine({ install: true })
  if (engine.path === undefined) {
    say(`NO REAL ENGINE: ${engine.reason}`)
    say('so the engine that lswap ships for tests is used (lswap serve --demo): no model runs, answers are SIMULATED')
    return { args: ['--demo'], ids: ['demo-a', 'demo-b'] }
  }
  say(`engine: ${engine.path}`)
  const models = await chooseModels({ cwd: process.cwd(), say })
  for (const { id, path } of models) say(`model ${id}: ${path}`)
  const config = join(folder, 'config.yaml')
  await writeFile(config, configText({ engine: engine.path, models }))
  say(`configuration: ${config}`)
  return { args: ['--config', config], ids: models.map(({ id }) => id) }
}

async function once(router, requests) {
  let failed = false
  for (const request of requests) {
    console.log(`$ ${request.curl}`)
    try {
      console.log(`${request.id}: ${await send(request)}`)
    } catch (error) {
      failed = true
      say(`${request.id} did not answer: ${error.message}`)
    }
  }
  router.stop()
  const { exitCode } = await router.ended
  return failed ? 1 : (exitCode ?? 1)
}
