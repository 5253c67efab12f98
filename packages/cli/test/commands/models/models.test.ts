import t from 'tap'
import { main } from '../../../src/main.ts'
import { json, routerDouble } from '../../router-double.ts'
import { terminal } from '../../terminal.ts'

const row = (id: string, own: object, aliases: readonly string[] = []) => ({ id, aliases, meta: { lswap: own } })

const DOCUMENT = {
  object: 'list',
  data: [
    row('tiny', { state: 'ready', hosts: ['local'], queue: 0, expectedLoadMs: 1_200 }, ['gpt-4', 'x']),
    row('org/big:q4', { state: 'stopped', hosts: [], queue: 3, expectedLoadMs: null }),
  ],
}

t.test('a table of what can be asked for', async (t) => {
  const router = await routerDouble({ 'GET /v1/models': json(200, DOCUMENT) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['models', '--url', router.url], io), 0)
  t.equal(
    io.out(),
    [
      'MODEL       STATE    HOSTS  WAIT   LOAD  ALIASES',
      'tiny        ready    local     0  1.2 s  gpt-4, x',
      'org/big:q4  stopped  -         3      -  -',
      '',
    ].join('\n'),
  )
})

t.test('the router’s list for programs', async (t) => {
  const router = await routerDouble({ 'GET /v1/models': json(200, DOCUMENT) })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['models', '--json', '--url', router.url], io), 0)
  t.same(JSON.parse(io.out()), DOCUMENT)
})

t.test('colour: --color, then FORCE_COLOR, NO_COLOR, TERM=dumb, CI, then whether a terminal reads it', async (t) => {
  const router = await routerDouble({ 'GET /v1/models': json(200, DOCUMENT) })
  t.teardown(() => router.close())
  const isColoured = async (options: Parameters<typeof terminal>[0], ...argv: string[]): Promise<boolean> => {
    const io = terminal(options)
    await main(['models', '--url', router.url, ...argv], io)
    return io.out().includes('\u001B[')
  }
  t.equal(await isColoured({ isTTY: true }), true)
  t.equal(await isColoured({}), false)
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }, { CI: '1' }]) {
    t.equal(await isColoured({ isTTY: true, env }), false, JSON.stringify(env))
    t.equal(await isColoured({ isTTY: true, env: { ...env, FORCE_COLOR: '1' } }), true)
    t.equal(await isColoured({ env }, '--color', 'always'), true)
  }
  t.equal(await isColoured({ isTTY: true, env: { FORCE_COLOR: '1' } }, '--color', 'never'), false)
  t.equal(await isColoured({ isTTY: true, env: { FORCE_COLOR: '0' } }), false)
})
