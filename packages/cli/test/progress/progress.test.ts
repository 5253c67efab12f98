import type { ServerResponse } from 'node:http'
import t from 'tap'
import { main } from '../../src/main.ts'
import { until } from '../e2e/until.ts'
import { json, refusal, routerDouble, type RouterDouble } from '../router-double.ts'
import { terminal, type Terminal } from '../terminal.ts'
import { emptyState, modelIn, sentEvent, swapOf } from './feed-state.ts'

interface Staged {
  readonly router: RouterDouble
  /** Tells the next state. */
  readonly tell: (state: object) => void
  /** Lets the load end. */
  readonly finish: () => void
}

/** A router whose feed and whose load a test leads. */
const staged = async (): Promise<Staged> => {
  let feed: ServerResponse | undefined
  let load: ServerResponse | undefined
  const router = await routerDouble({
    'GET /api/events': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      feed = response
      response.flushHeaders()
    },
    'POST /api/models/load': (_request, response) => {
      load = response
    },
  })
  return {
    router,
    tell: (state) =>
      feed?.write(sentEvent({ type: 'snapshot', at: 2_000, state: { ...emptyState, ...state } } as never)),
    finish: () => load && json(200, { state: 'ready', host: 'local' })({} as never, load),
  }
}

const hasControls = (text: string): boolean => text.includes('\r') || text.includes('\u001B')

const models = [modelIn('a', 'loading')]
const LOADING = { models, swaps: [swapOf('a', { fraction: 0.5 })] }

/** Runs `load a` through its swap. */
const loaded = async (t: { teardown(end: () => Promise<void>): void }, io: Terminal, argv: string[] = []) => {
  const { router, tell, finish } = await staged()
  t.teardown(() => router.close())
  const exitCode = main(['load', 'a', '--url', router.url, ...argv], io)
  await router.asked('/api/events')
  await router.asked('/api/models/load/a')
  tell({ models, swaps: [swapOf('a', { phase: 'stopping', evict: ['b'] })] })
  await until('the stop is told', () => io.err().includes('stopping b') || undefined)
  tell(LOADING)
  await until('the load is told', () => io.err().includes('loading a on local') || undefined)
  tell(LOADING)
  finish()
  return exitCode
}

t.test('without a terminal: plain lines, one per change', async (t) => {
  const io = terminal()
  t.equal(await loaded(t, io), 0)
  t.equal(io.err(), 'loading a…\na: stopping b to make room…\nloading a on local…\n')
  t.notOk(hasControls(io.err()))
})

t.test('on a terminal: a bar that is gone at the end', async (t) => {
  const io = terminal({ isTTY: true, env: { NO_COLOR: '1' } })
  t.equal(await loaded(t, io), 0)
  t.match(io.err(), /\rloading a on local {2}\[#{12}-{12}\] {2}50 %/)
  t.ok(io.err().endsWith('\r\u001B[K'))
  t.notOk(io.err().includes('\u001B[1m'), 'no colour')
  t.match(io.out(), /^a is ready/)
})

t.test('TERM=dumb and CI get plain lines on a terminal too', async (t) => {
  for (const env of [{ TERM: 'dumb' }, { CI: 'true' }]) {
    const io = terminal({ isTTY: true, env })
    t.equal(await loaded(t, io), 0)
    t.notOk(hasControls(io.err()))
  }
})

t.test('a key that may not read the feed loads all the same', async (t) => {
  const io = terminal()
  const router = await routerDouble({
    'GET /api/events': refusal(403, 'forbidden', 'no'),
    'POST /api/models/load': (request, response) =>
      void until('it is said', () => io.err() !== '' || undefined).then(() =>
        json(200, { state: 'ready' })(request, response),
      ),
  })
  t.teardown(() => router.close())
  t.equal(await main(['load', 'a', '--url', router.url], io), 0)
  t.equal(io.err(), 'loading a…\n')
})
