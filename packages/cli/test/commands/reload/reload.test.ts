import t from 'tap'
import { main } from '../../../src/main.ts'
import { json, refusal, routerDouble, type Reply } from '../../router-double.ts'
import { terminal, type Terminal } from '../../terminal.ts'

const told = async (
  t: { teardown(end: () => Promise<void>): void },
  reply: Reply,
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly io: Terminal }> => {
  const router = await routerDouble({ 'POST /api/reload': reply })
  t.teardown(() => router.close())
  const io = terminal()
  return { code: await main(['reload', '--url', router.url, ...argv], io), io }
}

const CHANGES = {
  msg: 'ok',
  models: {
    added: ['c'],
    changed: [
      { id: 'a', keys: ['cmd', 'ttl'], restarts: true },
      { id: 'e', keys: ['aliases'], restarts: false },
      { id: 'g', keys: ['cmd'], restarts: false, elsewhere: true },
    ],
    removed: ['b'],
    unchanged: ['d', 'f'],
  },
  settings: ['apiKeys', 'hooks.on_startup.preload'],
  needsRestart: ['hooks.on_startup.preload'],
  warnings: [{ severity: 'warning', file: 'c.yaml', line: 1, column: 2, path: 'ui', message: 'no effect' }],
}

const REFUSED = {
  error: {
    message: 'The configuration has 1 error; nothing was changed.',
    type: 'x',
    param: null,
    code: 'invalid_config',
  },
  src: 'lswap',
  issues: [
    {
      severity: 'error',
      file: 'c.yaml',
      line: 3,
      column: 5,
      path: 'models.a.tll',
      message: 'unknown key',
      suggestion: 'ttl',
    },
  ],
}

t.test('tells what changed', async (t) => {
  const { code, io } = await told(t, json(200, CHANGES))
  t.equal(code, 0)
  t.equal(
    io.out(),
    'added: c\nchanged: a (cmd, ttl; restarts), e (aliases), g (cmd; its agents go by their own files)\nremoved: b\nsettings: apiKeys, hooks.on_startup.preload\nunchanged: 2\n',
  )
  t.equal(io.err(), 'c.yaml:1:2: warning: ui: no effect\nafter a restart of lswap only: hooks.on_startup.preload\n')
})

t.test('tells when there was nothing to do', async (t) => {
  const models = { added: [], changed: [], removed: [], unchanged: ['a'] }
  const { code, io } = await told(t, json(200, { ...CHANGES, models, settings: [], needsRestart: [], warnings: [] }))
  t.same([code, io.out()], [0, 'nothing is different\n'])
})

t.test('tells every mistake with its place, and ends with 2', async (t) => {
  const { code, io } = await told(t, json(400, REFUSED))
  t.equal(code, 2)
  t.equal(
    io.out(),
    'c.yaml:3:5: error: models.a.tll: unknown key (did you mean ttl?)\nThe configuration has 1 error; nothing was changed.\n',
  )
})

t.test('gives programs the whole answer', async (t) => {
  const good = await told(t, json(200, CHANGES), '--json')
  t.same(JSON.parse(good.io.out()), CHANGES)
  const bad = await told(t, json(400, REFUSED), '--json')
  t.same([bad.code, JSON.parse(bad.io.out())], [2, REFUSED])
})

t.test('a refusal for another reason is an error like any', async (t) => {
  const { code, io } = await told(t, refusal(403, 'forbidden', 'The key may not do this.'))
  t.equal(code, 4)
  t.match(io.err(), 'error: The key may not do this.')
  const gone = await told(t, refusal(400, 'invalid_config', 'Cannot read the configuration c.yaml: it does not exist.'))
  t.equal(gone.code, 2)
})
