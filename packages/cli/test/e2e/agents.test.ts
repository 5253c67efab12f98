import t from 'tap'
import { chat, contentOf, errorOf } from './chat.ts'
import { callAgent, fleet, type FleetRig, type Program } from './fleet.ts'
import { isChat } from './journal.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

interface Shown {
  readonly running: readonly {
    readonly model: string
    readonly state: string
    readonly host: string
    readonly pid: number | null
  }[]
  readonly hosts: readonly {
    readonly host: string
    readonly up: boolean
    readonly failure: { readonly message: string } | null
  }[]
  readonly unplaced: readonly string[]
}

const shown = async (rig: FleetRig, router: Program): Promise<Shown> =>
  JSON.parse((await rig.lswap(router, 'ps', '--json')).stdout) as Shown
const isUp = async (router: Program, host: string): Promise<boolean> => {
  const { hosts } = (await (await fetch(`${router.url}/running`)).json()) as Shown
  return hosts.find((one) => one.host === host)?.up ?? false
}
const starts = ({ event }: { event: string }): boolean => event === 'start'

t.test('two agents serve the models that each has, and a model that none has is named', async (t) => {
  const rig = await fleet(t, { left: { a: '', both: '' }, right: { b: '', both: '' } })
  const router = await rig.router('  nowhere: {}\n')
  t.equal((await chat(router.url, 'a')).status, 200)
  t.equal((await chat(router.url, 'b')).status, 200)
  t.same(await rig.host('left').journal.starts(), ['a'])
  t.same(await rig.host('right').journal.starts(), ['b'])
  const ps = await shown(rig, router)
  t.same(
    ps.running.map(({ model, state, host }) => [model, state, host]),
    [
      ['a', 'ready', 'left'],
      ['b', 'ready', 'right'],
    ],
  )
  t.same(ps.unplaced, ['nowhere'])
  t.match((await rig.lswap(router, 'ps')).stderr, /No host has: nowhere\./)
  const load = await rig.lswap(router, 'load', 'nowhere')
  t.match([load.code, load.stderr], [6, /no host has the model nowhere.*lswap check --agents/])
  const refused = await chat(router.url, 'nowhere')
  t.match(
    [refused.status, await errorOf(refused)],
    [409, { code: 'model_impossible', message: /no host has the model nowhere/ }],
  )
  t.match(await (await fetch(`${router.url}/metrics`)).text(), /lswap_host_up\{host="left"\} 1/)
  t.match((await rig.lswap(router, 'logs', 'a', '--tail', '50')).stdout, /\S/)
  t.equal((await rig.lswap(router, 'unload', 'a')).code, 0)
  t.match(
    (await shown(rig, router)).running.map(({ model }) => model),
    ['b'],
  )
})

t.test('a request without a byte goes elsewhere when its agent is killed, and the agent is taken back', async (t) => {
  const switches = '--first-token-ms 4000 --tokens 3'
  const rig = await fleet(t, { left: { both: switches, only: '' }, right: { both: switches } })
  const router = await rig.router()
  const asked = chat(router.url, 'both')
  const begun = (id: string) =>
    rig
      .host(id)
      .journal.lines()
      .then((lines) => (lines.some(isChat('begin')) ? id : undefined))
  const first = await until('an engine has it', async () => (await begun('left')) ?? (await begun('right')))
  const other = first === 'left' ? 'right' : 'left'
  rig.host(first).agent().signal('SIGKILL')
  const answer = await asked
  t.equal(answer.status, 200)
  t.match(await contentOf(answer), /\S/)
  t.ok((await rig.host(other).journal.lines()).some(starts), 'the other host served it')
  t.equal(await isUp(router, first), false)
  t.match((await rig.lswap(router, 'ps')).stderr, new RegExp(`The host ${first} can not be used: `))
  t.match(await (await fetch(`${router.url}/metrics`)).text(), new RegExp(`lswap_host_up\\{host="${first}"\\} 0`))
  await rig.host(first).restart()
  const began = performance.now()
  await until('it is taken back', async () => ((await isUp(router, first)) ? true : undefined))
  t.ok(performance.now() - began < 20_000, `within a second, on a busy machine more: ${performance.now() - began}`)
  if (first === 'left') t.equal((await chat(router.url, 'only')).status, 200)
})

t.test(
  'a router that is killed and started again finds what is loaded, and fences what still speaks for it',
  async (t) => {
    const rig = await fleet(t, { box: { a: '', b: '' } })
    const host = rig.host('box')
    const first = await rig.router()
    t.equal((await chat(first.url, 'a')).status, 200)
    first.signal('SIGKILL')
    await first.ended
    const second = await rig.router()
    t.match((await shown(rig, second)).running, [{ model: 'a', state: 'ready', host: 'box' }])
    t.equal((await chat(second.url, 'a')).status, 200)
    t.same(await host.journal.starts(), ['a'], 'not loaded again')
    t.match(await (await callAgent(host, '/v1/agent')).json(), { term: 2 })
    const third = await rig.router()
    await until('the second is fenced', async () => ((await isUp(second, 'box')) ? undefined : true))
    t.match((await shown(rig, second)).hosts, [{ host: 'box', up: false, failure: { message: /another router/ } }])
    t.match((await shown(rig, second)).running, [
      { model: 'a', state: 'unreachable' },
      { model: 'b', state: 'unreachable' },
    ])
    t.equal((await chat(third.url, 'b')).status, 200)
    t.match(await (await callAgent(host, '/v1/agent')).json(), { term: 3 })
    const stop = await callAgent(host, '/v1/stop', { method: 'POST', body: JSON.stringify({ models: '*' }) })
    t.match(await errorOf(stop), { code: 'fenced' }, 'nor by hand, while a router is there')
  },
)

t.test('a host that is cut off is lost after three seconds, and back as it was', async (t) => {
  const rig = await fleet(t, { box: { a: '' } })
  const host = rig.host('box')
  const router = await rig.router()
  t.equal((await chat(router.url, 'a')).status, 200)
  host.agent().signal('SIGSTOP')
  const began = performance.now()
  await until('it is lost', async () => ((await isUp(router, 'box')) ? undefined : true))
  const lostAfter = performance.now() - began
  t.ok(lostAfter > 2_000 && lostAfter < 8_000, `${lostAfter} ms`)
  t.match((await shown(rig, router)).running, [{ model: 'a', state: 'unreachable', host: 'box' }])
  const waiting = chat(router.url, 'a')
  host.agent().signal('SIGCONT')
  const answer = await waiting
  t.equal(answer.status, 200)
  t.equal(await isUp(router, 'box'), true)
  t.same(await host.journal.starts(), ['a'], 'what was loaded still is')
})

t.test('a client that leaves is known to the engine, through router and agent', async (t) => {
  const rig = await fleet(t, { box: { a: '--tokens 100000 --tps 20' } })
  const router = await rig.router()
  const controller = new AbortController()
  const answer = await chat(router.url, 'a', { stream: true, maxTokens: 100_000, signal: controller.signal })
  t.equal(answer.status, 200)
  controller.abort()
  const line = await rig.host('box').journal.saw('the end of the request', isChat('aborted'))
  t.equal(line.model, 'a')
})

t.test('over TLS, with the certificate that the router is told to trust', async (t) => {
  const rig = await fleet(t, { box: { a: '--tokens 5' } }, { tls: true })
  t.match(rig.host('box').agent().url, /^https:/)
  const router = await rig.router()
  const answer = await chat(router.url, 'a', { stream: true })
  t.equal(answer.status, 200)
  t.match(await answer.text(), /\[DONE\]/)
  t.equal(await isUp(router, 'box'), true)
})

t.test('an agent that stops leaves no process, and its reload is known to the router', async (t) => {
  const rig = await fleet(t, { box: { a: '', b: '' } })
  const host = rig.host('box')
  const router = await rig.router()
  t.equal((await chat(router.url, 'a')).status, 200)
  const { readFile, writeFile } = await import('node:fs/promises')
  const file = `${host.folder}/lswap.yaml`
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace('  b:\n', '  c:\n').replace('--alias a', '--alias a --parallel 2'),
  )
  host.agent().signal('SIGHUP')
  await until('the changed model is stopped, and a missing one known', async () => {
    const { running, unplaced } = await shown(rig, router)
    return running.length === 0 && unplaced[0] === 'b' ? true : undefined
  })
  t.equal((await chat(router.url, 'a')).status, 200)
  t.same(await host.journal.starts(), ['a', 'a'])
  host.agent().signal('SIGTERM')
  t.match(await host.agent().ended, { code: 0 })
  t.notMatch(host.agent().stderr(), 'a bug in lswap')
})

t.test('beyond loopback an agent wants TLS, and it never shows its token', async (t) => {
  const { run } = await import('./command.ts')
  const rig = await fleet(t, { box: { a: '' } })
  const host = rig.host('box')
  const refused = await run([
    'agent',
    '--listen',
    '0.0.0.0:0',
    '--config',
    `${host.folder}/lswap.yaml`,
    '--state-dir',
    `${host.folder}/other`,
  ])
  t.equal(refused.code, 2)
  t.match(refused.stderr, /without TLS/)
  const twice = await run([
    'agent',
    '--listen',
    '127.0.0.1:0',
    '--config',
    `${host.folder}/lswap.yaml`,
    '--state-dir',
    `${host.folder}/state`,
  ])
  t.match(twice.stderr, /another lswap \(pid/)
  const { readFile, stat } = await import('node:fs/promises')
  const token = (await readFile(host.tokenFile, 'utf8')).trim()
  t.equal((await stat(host.tokenFile)).mode & 0o777, 0o600)
  t.notMatch(host.agent().stderr(), token)
  t.notMatch(await (await callAgent(host, '/v1/agent')).text(), token)
})
