import t from 'tap'
import { main } from '../../../src/main.ts'
import { json, refusal, routerDouble } from '../../router-double.ts'
import { terminal } from '../../terminal.ts'

t.test('pin and unpin say what is so now', async (t) => {
  const router = await routerDouble({
    'POST /api/models/pin/org/big%3Aq4': json(200, { msg: 'ok', model: 'org/big:q4', pinned: true, state: 'ready' }),
    'POST /api/models/pin/cold': json(200, { msg: 'ok', model: 'cold', pinned: true, state: 'stopped' }),
    'POST /api/models/unpin/x': json(200, { msg: 'ok', model: 'org/big:q4', pinned: false, state: 'ready' }),
  })
  t.teardown(() => router.close())
  const say = async (...argv: string[]): Promise<string> => {
    const io = terminal()
    t.equal(await main([...argv, '--url', router.url], io), 0)
    return io.out()
  }
  t.equal(await say('pin', 'org/big:q4'), 'org/big:q4 is pinned\n')
  t.equal(
    await say('pin', 'cold'),
    'cold is pinned; it is not loaded: `lswap load cold` or its first request loads it\n',
  )
  t.equal(await say('unpin', 'x'), 'org/big:q4 is not pinned any more\n')
  t.same(JSON.parse(await say('pin', 'cold', '--json')), { model: 'cold', pinned: true, state: 'stopped' })
})

t.test('an unknown model ends with 3', async (t) => {
  const router = await routerDouble({ 'POST /api/models/': refusal(404, 'model_not_found', 'No model "nope".') })
  t.teardown(() => router.close())
  for (const command of ['pin', 'unpin']) {
    const io = terminal()
    t.equal(await main([command, 'nope', '--url', router.url], io), 3)
    t.match(io.err(), /error: No model "nope"/)
  }
})
