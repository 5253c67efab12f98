import type { ServerResponse } from 'node:http'
import t from 'tap'
import { main } from '../../../src/main.ts'
import { until } from '../../e2e/until.ts'
import { modelIn, sentEvent, swapOf } from '../../progress/feed-state.ts'
import { refusal, routerDouble, type Reply } from '../../router-double.ts'
import { systemError, terminal, type TerminalOptions } from '../../terminal.ts'
import { NOW, queueOf, stateOf, waitingIn } from '../../top/support/states.ts'

// oxlint-disable-next-line no-control-regex -- what a plain text must not hold
const STEERING = /[\u001B\r]/

const state = stateOf({ models: [modelIn('tiny', 'ready', 1)], ...queueOf([waitingIn(12)]) })
const snapshot = { type: 'snapshot', at: NOW, state }

/** A feed that goes on with what the test sends. */
const feed = (): {
  readonly reply: Reply
  readonly send: (event: { readonly type: string; readonly [field: string]: unknown }) => void
  readonly end: () => void
} => {
  let response: ServerResponse | undefined
  return {
    reply: (_request, answer) => {
      response = answer
      answer.writeHead(200, { 'content-type': 'text/event-stream' })
      answer.write(sentEvent(snapshot))
    },
    send: (event) => response?.write(sentEvent(event)),
    end: () => response?.end(),
  }
}

t.test('--once prints all of it as text without escapes, and ends', async (t) => {
  const router = await routerDouble({ 'GET /api/events': feed().reply })
  t.teardown(() => router.close())
  const term = terminal({ isTTY: true, env: { NO_COLOR: '1' } })
  t.equal(await main(['top', '--once', '--url', router.url], term), 0)
  t.match(term.out(), /Models 1, 1 ready\nMODEL +STATE/)
  t.match(term.out(), /^tiny +ready +1\/1/m)
  t.match(term.out(), /^ *12 +tiny +normal +5h 0m +- +12 +waits for reason 12$/m)
  t.notMatch(term.out(), STEERING)
  t.equal(term.listeners(), 0)
})

t.test('--json --once prints one document of everything', async (t) => {
  const router = await routerDouble({ 'GET /api/events': feed().reply })
  t.teardown(() => router.close())
  const term = terminal()
  t.equal(await main(['top', '--json', '--once', '--url', router.url], term), 0)
  t.same(JSON.parse(term.out()), { at: NOW, stale: false, ...state })
})

t.test('--json prints a document each interval until Ctrl-C', async (t) => {
  const router = await routerDouble({ 'GET /api/events': feed().reply })
  t.teardown(() => router.close())
  const term = terminal()
  const ended = main(['top', '--json', '--interval', '0.1', '--url', router.url], term)
  await written(
    () => term.out(),
    (text) => text.split('\n').length > 3,
  )
  term.signal('SIGINT')
  t.equal(await ended, 130)
  t.equal(term.err(), '', 'it is how one ends it, and no error')
  const documents = term.out().trimEnd().split('\n')
  for (const document of documents) t.equal((JSON.parse(document) as { models: unknown[] }).models.length, 1)
})

for (const [why, options] of [
  ['without a terminal', { isTTY: false }],
  ['in CI', { isTTY: true, env: { CI: '1' } }],
  ['with TERM=dumb', { isTTY: true, env: { TERM: 'dumb' } }],
  ['with --plain', { isTTY: true, env: { NO_COLOR: '1' }, argv: ['--plain'] }],
] as const) {
  t.test(`${why} it is a snapshot, and then a line for each thing that happens, without escapes`, async (t) => {
    const events = feed()
    const router = await routerDouble({ 'GET /api/events': events.reply })
    t.teardown(() => router.close())
    const { argv = [], ...terminalOptions }: TerminalOptions & { readonly argv?: readonly string[] } = options
    const term = terminal(terminalOptions)
    const ended = main(['top', '--url', router.url, ...argv], term)
    await written(
      () => term.out(),
      (text) => text.includes('nothing happened yet'),
    )
    events.send({ type: 'swaps-changed', at: NOW, set: [swapOf('tiny', { startedAt: NOW })], order: [1] })
    await written(
      () => term.out(),
      (text) => text.includes('tiny: loading on local'),
    )
    term.signal('SIGINT')
    t.equal(await ended, 130)
    t.notMatch(term.out() + term.err(), STEERING)
    t.match(term.out(), /\n\d\d:\d\d:\d\d tiny: loading on local\n$/)
  })
}

t.test('a router that went away is told once, and when it is back', async (t) => {
  const events = feed()
  const router = await routerDouble({ 'GET /api/events': events.reply })
  t.teardown(() => router.close())
  const term = terminal()
  const ended = main(['top', '--url', router.url], term)
  await written(
    () => term.out(),
    (text) => text.includes('nothing happened yet'),
  )
  events.end()
  await written(
    () => term.err(),
    (text) => text.includes('the router answers again'),
  )
  term.signal('SIGINT')
  t.equal(await ended, 130)
  t.match(term.err(), /ended; trying again\nthe router answers again\n/)
})

t.test('a router that is not there ends it with 5, and one that refuses the key with 4', async (t) => {
  const refusing = await routerDouble({ 'GET /api/events': refusal(401, 'unauthorized', 'The key is not known.') })
  t.teardown(() => refusing.close())
  const gone = await routerDouble({})
  await gone.close()
  for (const argv of [[], ['--once'], ['--json'], ['--plain']]) {
    t.equal(await main(['top', ...argv, '--url', refusing.url], terminal()), 4, argv.join(' '))
    t.equal(await main(['top', ...argv, '--url', gone.url], terminal()), 5, argv.join(' '))
  }
})

t.test('an interval that no clock can keep is a mistake', async (t) => {
  t.equal(await main(['top', '--json', '--interval', '0.01'], terminal()), 2)
  t.equal(await main(['top', '--json', '--interval', 'x'], terminal()), 2)
})

const written = async (text: () => string, isEnough: (text: string) => boolean): Promise<void> => {
  await until('it was written', () => (isEnough(text()) ? true : undefined))
}

t.test('what follows ends with its reader (| head), and says that it can not be written', async (t) => {
  const router = await routerDouble({ 'GET /api/events': feed().reply })
  t.teardown(() => router.close())
  for (const how of ['--json', '--plain']) {
    const left = terminal({ brokenStdout: systemError('EPIPE') })
    t.equal(await main(['top', how, '--url', router.url], left), 0, how)
    const full = terminal({ brokenStdout: systemError('ENOSPC') })
    t.equal(await main(['top', how, '--url', router.url], full), 1, how)
    t.match(full.err(), /Cannot write the output: ENOSPC/)
  }
})
