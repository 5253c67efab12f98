import t from 'tap'
import { widthOf } from '../../../src/print/width.ts'
import { until } from '../../e2e/until.ts'
import { modelIn } from '../../progress/feed-state.ts'
import { refusal, routerDouble } from '../../router-double.ts'
import { queueOf, stateOf, waitingIn } from '../support/states.ts'
import { feedDouble } from './feed-double.ts'
import { noTmux, tmux } from './tmux.ts'

t.setTimeout(240_000)
const skip = await noTmux()
const state = stateOf({ models: [modelIn('tiny', 'ready'), modelIn('big', 'stuck')], ...queueOf([waitingIn(12)]) })
// oxlint-disable-next-line no-control-regex -- what colours a terminal, besides the cursor's places and the screens
const COLOUR = /\u001B\[[\d;]*m/

t.test('with NO_COLOR and with --color never nothing is coloured, and all is still said', { skip }, async (t) => {
  const router = await feedDouble(t, state)
  const terminal = await tmux(t, { env: { NO_COLOR: '1' }, argv: ['top', '--url', router.url] })
  await terminal.line('./top')
  await terminal.shows(/› tiny +ready[^]*big +stuck[^]*u unload/)
  t.notMatch((await terminal.capture({ escapes: true })).join('\n'), COLOUR)
  await terminal.keys('q')
  await terminal.shows('$')
  const other = await tmux(t, { argv: ['top', '--color', 'never', '--url', router.url] })
  await other.line('./top')
  await other.shows(/› tiny +ready[^]*u unload/)
  t.notMatch((await other.capture({ escapes: true })).join('\n'), COLOUR)
})

t.test('otherwise states have colours', { skip }, async (t) => {
  const router = await feedDouble(t, state)
  const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
  await terminal.line('./top')
  await terminal.shows('u unload')
  t.match((await terminal.capture({ escapes: true })).join('\n'), COLOUR)
})

t.test('in CI, with TERM=dumb, with --plain and into a pipe it is lines', { skip }, async (t) => {
  const router = await feedDouble(t, state)
  const terminal = await tmux(t, { rows: 40, argv: ['top', '--url', router.url] })
  const commands = ['CI=1 ./top', 'TERM=dumb ./top', './top --plain', './top | cat', './top < /dev/null']
  for (const [at, command] of commands.entries()) {
    // So that the screen of the one before is not taken for it
    await terminal.line(`clear; echo run ${at}; ${command}`)
    await terminal.shows(new RegExp(`run ${at}\\n[^]*Queue 1: 1 normal\\n *POS +MODEL`))
    t.equal(await terminal.variable('alternate_on'), '0', command)
    await terminal.interrupt()
    await terminal.shows(/\^C[^]*\$$/)
  }
  t.notMatch(await terminal.raw(), '\u001B[?1049h')
})

t.test(
  'without a controlling terminal it is lines, or a dashboard where it has a terminal all the same',
  { skip },
  async (t) => {
    const router = await feedDouble(t, state)
    const terminal = await tmux(t, { rows: 40, argv: ['top', '--url', router.url] })
    await terminal.line('setsid -w ./top < /dev/null > lines 2>&1 & sleep 0; cat')
    const written = await until('it wrote its lines', async () => {
      const text = await terminal.file('lines')
      return text.includes('Queue 1') ? text : undefined
    })
    t.notOk(['\u001B', '\r'].some((code) => written.includes(code)))
    process.kill(await terminal.pid(), 'SIGTERM')
    await terminal.interrupt()
    await terminal.line('clear; setsid -w ./top; echo "rc=$?"')
    await terminal.shows('› tiny')
    // Nobody tells it of another size, and no shell brings it back
    await terminal.resize([60, 20])
    await terminal.keys('Tab')
    const lines = await terminal.screen(
      'it fits',
      (shown) => shown.length === 20 && shown[19]?.includes('q quit') === true,
    )
    t.ok(lines.every((line) => widthOf(line) <= 60))
    await terminal.keys('C-z')
    await terminal.shows('request 12 waits')
    await terminal.keys('q')
    await terminal.shows('rc=0')
    t.equal(await terminal.variable('alternate_on'), '0')
  },
)

t.test('a key that the router refuses, and a router that is not there, end it with a sentence', { skip }, async (t) => {
  const router = await routerDouble({ 'GET /': refusal(401, 'unauthorized', 'The key is not known.') })
  t.teardown(() => router.close())
  const terminal = await tmux(t, { argv: ['top'] })
  await terminal.line('./top --url 127.0.0.1:1; echo "rc=$?"')
  await terminal.shows(/Cannot reach lswap[^]*rc=5/)
  await terminal.line(`./top --url ${router.url}; echo "rc=$?"`)
  const lines = await terminal.shows(/rc=4/)
  t.match(lines.join('\n'), 'The key is not known.')
  t.equal(await terminal.variable('alternate_on'), '0')
})
