import { once } from 'node:events'
import type { ConfigReading } from '@lswap/core'
import t from 'tap'
import { ask, errorOf, until, type Told } from './support/ask.ts'
import { model } from './support/config.ts'
import type { FakeForward } from './support/fake-agent.ts'
import { access } from './support/keys.ts'
import { startRig, type Rig } from './support/rig.ts'
import { waits } from './support/waiting.ts'
import { answer, chat, reload } from './reload/support.ts'

const BROKEN: ConfigReading = {
  ok: false,
  issues: [
    {
      severity: 'warning',
      file: 'c.yaml',
      line: 1,
      column: 1,
      endLine: 1,
      endColumn: 2,
      path: 'ui',
      message: 'no effect',
    },
    {
      severity: 'error',
      file: 'c.yaml',
      line: 3,
      column: 5,
      endLine: 3,
      endColumn: 9,
      path: 'models.a.tll',
      message: 'unknown key "tll"',
      suggestion: 'ttl',
    },
    {
      severity: 'error',
      file: 'c.yaml',
      line: 4,
      column: 5,
      endLine: 4,
      endColumn: 9,
      path: 'models.a.cmd',
      message: 'is missing',
    },
  ],
}

/** Starts a request whose answer the test gives later. */
const held = async (rig: Rig, name: string): Promise<{ over: Promise<Told>; forward: FakeForward }> => {
  const before = rig.agent.forwards.length
  const over = ask(rig.port, { body: chat(name) })
  await until('the request is forwarded', () => rig.agent.forwards.length > before)
  const forward = rig.agent.forwards[before]
  if (forward === undefined) throw new Error('no request was forwarded')
  return { over, forward }
}

t.test('the answer says what changed', async (t) => {
  const rig = await startRig(t, { models: [model('a'), model('b'), model('d')] })
  rig.edit([model('a', { cmd: 'another' }), model('c'), model('d')], { access: access({ cors: ['http://x'] }) })
  const told = await reload(rig)
  t.equal(told.status, 200)
  t.same(JSON.parse(told.text), {
    msg: 'ok',
    models: {
      added: ['c'],
      changed: [{ id: 'a', keys: ['cmd'], restarts: true }],
      removed: ['b'],
      unchanged: ['d'],
    },
    settings: ['cors'],
    needsRestart: [],
    warnings: [],
  })
  t.match(rig.log.lines.at(-2), {
    level: 'info',
    message: 'reload: done',
    fields: {
      cause: 'POST /api/reload',
      added: ['c'],
      changed: ['a (cmd; restarts)'],
      removed: ['b'],
      settings: ['cors'],
    },
  })
  t.match(rig.log.lines.at(-1), { message: 'request ended', fields: { route: 'reload' } })
})

t.test('a configuration with mistakes changes nothing and is answered with all of them', async (t) => {
  const rig = await startRig(t, { answer })
  rig.edit(BROKEN)
  const told = await reload(rig)
  t.equal(told.status, 400)
  t.match(errorOf(told), { code: 'invalid_config', message: /2 errors/ })
  t.same((JSON.parse(told.text) as { issues: unknown }).issues, BROKEN.ok ? [] : BROKEN.issues)
  const text = await reload(rig, { accept: 'text/plain' })
  t.match(text.text, 'c.yaml:3:5: error: models.a.tll: unknown key "tll" (did you mean ttl?)\nc.yaml:4:5: error: ')
  t.equal((await ask(rig.port, { body: chat('a') })).status, 200)
  t.match(
    rig.log.lines
      .filter(({ level }) => level === 'error')
      .map(({ message }) => message)
      .slice(0, 4),
    [/c.yaml:1:1/, /c.yaml:3:5/, /c.yaml:4:5/, 'reload: nothing was changed'],
  )
  const { text: page } = await ask(rig.port, { path: '/metrics' })
  t.match(page, 'lswap_config_reloads_total{result="refused"} 2')
  t.match(page, 'lswap_config_last_reload_successful 0')
})

t.test('an added model can be asked for at once, a removed one is not found', async (t) => {
  const rig = await startRig(t, { models: [model('a')], answer })
  rig.edit([model('b')])
  await reload(rig)
  t.equal((await ask(rig.port, { body: chat('b') })).status, 200)
  t.match(errorOf(await ask(rig.port, { body: chat('a') })), { code: 'model_not_found' })
  const { text } = await ask(rig.port, { path: '/v1/models' })
  t.same(
    (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id),
    ['b'],
  )
})

t.test('a removed model ends what it serves, shows until it is gone, and its waiters are told', async (t) => {
  const one = model('a', { concurrencyLimit: 1 })
  const gate = new AbortController()
  const opened = once(gate.signal, 'abort')
  const stop = async (): Promise<undefined> => void (await opened)
  const rig = await startRig(t, { models: [one, model('b')], stop })
  const { over, forward } = await held(rig, 'a')
  const waiting = await waits(rig.port, 'a')
  rig.edit([model('b')])
  await reload(rig)
  t.match(errorOf(await waiting.answer), { code: 'model_not_found' })
  const running = await ask(rig.port, { path: '/running' })
  t.match(JSON.parse(running.text), { running: [{ model: 'a', state: 'stopping', inFlight: 1 }] })
  answer(forward)
  t.equal((await over).status, 200)
  t.match(rig.agent.stops, [{ models: ['a'] }])
  gate.abort()
  await untilRunning(rig, [])
})

t.test('a changed model ends what it serves; who waits gets the new one', async (t) => {
  const one = model('a', { concurrencyLimit: 1 })
  const rig = await startRig(t, { models: [one] })
  const { over, forward } = await held(rig, 'a')
  const waiting = await waits(rig.port, 'a')
  rig.edit([{ ...one, cmd: 'another' }])
  await reload(rig)
  answer(forward)
  t.equal((await over).status, 200)
  await until('the second is forwarded', () => rig.agent.forwards.length === 2)
  t.equal(rig.agent.swaps.length, 2)
  t.not(rig.agent.forwards[1]?.epoch, forward.epoch)
  const [, second] = rig.agent.forwards
  if (second !== undefined) answer(second)
  t.equal((await waiting.answer).status, 200)
})

t.test('a reload cuts no stream of a model that did not change', async (t) => {
  const rig = await startRig(t)
  const { over, forward } = await held(rig, 'a')
  rig.edit([model('a'), model('b', { cmd: 'another' }), model('c')])
  await reload(rig)
  t.equal(forward.aborted, false)
  t.same(rig.agent.stops, [])
  answer(forward)
  t.equal((await over).status, 200)
})

t.test('a configuration that says the same does nothing', async (t) => {
  const rig = await startRig(t)
  const told = await reload(rig)
  t.match(JSON.parse(told.text), {
    models: { added: [], changed: [], removed: [], unchanged: ['a', 'b'] },
    settings: [],
  })
  t.match(rig.log.lines.at(-2), { message: 'reload: nothing is different' })
})

t.test('a router that shuts down takes no configuration over', async (t) => {
  const rig = await startRig(t)
  rig.edit([model('c')])
  const closed = rig.router.close()
  t.match(await rig.router.reload('SIGHUP'), { ok: false, failure: { code: 'shutting_down' } })
  await closed
})

const untilRunning = async ({ port }: Rig, models: readonly string[]): Promise<void> => {
  for (;;) {
    const { running } = JSON.parse((await ask(port, { path: '/running' })).text) as { running: unknown[] }
    if (running.length === models.length) return
  }
}
