import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { chat } from './chat.ts'
import { callAgent, fleet, type HostRig, type Program } from './fleet.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

/** One line for each key of a model, with what an agent's reload makes of it. */
const KEYS: Readonly<Record<string, 'restarts' | 'goes on'>> = {
  'checkEndpoint: /v1/models': 'goes on',
  'healthCheckTimeout: 77': 'goes on',
  'hooks: { before: [{ cmd: "true" }] }': 'goes on',
  'onAgentExit: keep': 'goes on',
  'saveSlots: true': 'goes on',
  'cmdStop: kill ${PID}': 'goes on',
  'stopSignal: SIGINT': 'goes on',
  'forceKill: false': 'goes on',
  'unloadTimeout: 7': 'goes on',
  'name: another': 'goes on',
  'description: another': 'goes on',
  'aliases: [other]': 'goes on',
  'unlisted: true': 'goes on',
  'useModelName: a': 'goes on',
  'filters: { stripParams: temperature }': 'goes on',
  'ttl: 700': 'goes on',
  'restoreAfter: 700': 'goes on',
  'concurrencyLimit: 3': 'goes on',
  'queueLimit: 7': 'goes on',
  'pinned: true': 'goes on',
  'priority: 7': 'goes on',
  'criticality: critical': 'goes on',
  'sendLoadingState: true': 'goes on',
  'heartbeat: true': 'goes on',
  'maxWait: 77': 'goes on',
  'metadata: { size: 7 }': 'goes on',
  'capabilities: { tools: true }': 'goes on',
  'memory: 7MiB': 'goes on',
  'compat: { ignoreWebsockets: true }': 'goes on',
  // Each of them is taken back by the next
  "env: ['OTHER=1']": 'restarts',
  'apiKey: sk-engine': 'restarts',
  'timeouts: { connect: 7 }': 'restarts',
  'proxy: "http://localhost:${PORT}"': 'restarts',
}

const reload = async ({ url }: Program): Promise<unknown> => {
  const answer = await fetch(`${url}/api/reload`, { method: 'POST' })
  const told = await answer.json()
  if (!answer.ok) throw new Error(JSON.stringify(told))
  return told
}

const ask = async ({ url }: Program): Promise<void> => {
  const answer = await chat(url, 'a')
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
}

t.test(
  "a router's reload restarts nothing on other machines: their agents have definitions of their own",
  async (t) => {
    const rig = await fleet(t, { box: { a: '' } })
    const router = await rig.router()
    const file = router.file ?? ''
    const before = await readFile(file, 'utf8')
    await ask(router)
    const own = ["cmd: 'engine --port ${PORT}'", "cmd: 'engine --port ${PORT} --other'", 'hosts: [box]']
    for (const line of [...own, ...Object.keys(KEYS)]) {
      await writeFile(file, before.replace('  a: {}', `  a:\n    ${line}`))
      t.notMatch(await reload(router), { models: { changed: [{ restarts: true }] } }, line)
      await ask(router)
      t.same(await rig.host('box').journal.starts(), ['a'], line)
    }
  },
)

/** The file of an agent with one more line for its model. */
const define = async (host: HostRig, before: string, line: string): Promise<void> => {
  await writeFile(join(host.folder, 'lswap.yaml'), `${before}    ${line}\n`)
  const reloads = (): number => host.agent().stderr().split('"msg":"reload: ').length
  const earlier = reloads()
  host.agent().signal('SIGHUP')
  await until('it has read its file again', () => (reloads() > earlier ? true : undefined))
}

t.test("an agent's reload restarts what runs as something else, and nothing besides", async (t) => {
  const rig = await fleet(t, { box: { a: '' } })
  const host = rig.host('box')
  const router = await rig.router()
  const before = await readFile(join(host.folder, 'lswap.yaml'), 'utf8')
  const other = before.replace('--alias a', '--alias a --tokens 3')
  await ask(router)
  for (const [line, becomes] of Object.entries(KEYS)) {
    await define(host, before, line)
    const starts = (await host.journal.starts()).length
    await ask(router)
    const now = (await host.journal.starts()).length
    t.equal(now - starts, becomes === 'restarts' ? 1 : 0, line)
  }
  const starts = (await host.journal.starts()).length
  await define(host, other, '')
  await ask(router)
  t.equal((await host.journal.starts()).length - starts, 1, 'cmd')
})

t.test('a load that is watched by a rule that is gone is begun anew', async (t) => {
  const rig = await fleet(t, { box: { a: '' } })
  const host = rig.host('box')
  const router = await rig.router()
  const before = await readFile(join(host.folder, 'lswap.yaml'), 'utf8')
  await define(host, before, 'checkEndpoint: /never')
  const asked = ask(router)
  await host.journal.saw('its start', ({ event }) => event === 'start')
  await define(host, before, 'checkEndpoint: /health')
  await asked
  t.match(await (await callAgent(host, '/v1/metrics')).json(), { states: [{ model: 'a', phase: 'ready' }] })
})
