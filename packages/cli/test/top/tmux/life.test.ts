import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { modelIn } from '../../progress/feed-state.ts'
import { queueOf, stateOf, waitingIn } from '../support/states.ts'
import { feedDouble } from './feed-double.ts'
import { noTmux, tmux, type Tmux } from './tmux.ts'

t.setTimeout(240_000)
const skip = await noTmux()
const state = stateOf({ models: [modelIn('tiny', 'ready')], ...queueOf([waitingIn(12)]) })
const CRASHING = fileURLToPath(new URL('crashing-top.js', import.meta.url))

/** Runs `./top`, ends it somehow, and finds the terminal as it was before. */
const endedBy = async (t: Test, terminal: Tmux, { name, end, exitCode }: Ending): Promise<void> => {
  await terminal.line(
    'clear; stty -g > before; echo this was here; ./top; echo "rc=$?"; stty -g | cmp - before && echo same',
  )
  await terminal.shows('tiny')
  t.equal(await terminal.variable('alternate_on'), '1', name)
  t.equal(await terminal.variable('cursor_flag'), '0', name)
  await end()
  const lines = await terminal.shows(/^rc=\d+\nsame\n\$/m)
  t.match(lines.join('\n'), `rc=${exitCode}\n`, name)
  t.match(lines.join('\n'), 'this was here', name)
  t.equal(await terminal.variable('alternate_on'), '0', name)
  t.equal(await terminal.variable('cursor_flag'), '1', name)
  t.equal(await terminal.variable('wrap_flag'), '1', name)
}

interface Ending {
  readonly name: string
  readonly end: () => Promise<void>
  readonly exitCode: number
}

t.test('q, Ctrl-C and SIGTERM leave the terminal as it was', { skip }, async (t) => {
  const router = await feedDouble(t, state)
  const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
  const signal = async (name: NodeJS.Signals): Promise<void> => void process.kill(await terminal.pid(), name)
  for (const ending of [
    { name: 'q', end: () => terminal.keys('q'), exitCode: 0 },
    { name: 'Ctrl-C', end: () => terminal.keys('C-c'), exitCode: 130 },
    { name: 'SIGTERM', end: () => signal('SIGTERM'), exitCode: 0 },
    { name: 'SIGINT', end: () => signal('SIGINT'), exitCode: 130 },
  ]) {
    await endedBy(t, terminal, ending)
  }
})

t.test(
  'a bug in the dashboard leaves the terminal as it was, says what it is, and ends with 1',
  { skip },
  async (t) => {
    const terminal = await tmux(t, { program: CRASHING, rows: 60 })
    for (const key of ['l', 't', 'k']) {
      await endedBy(t, terminal, { name: key, end: () => terminal.keys(key), exitCode: 1 })
      await terminal.shows(/error: .*planted/)
    }
  },
)

t.test('Ctrl-Z gives the terminal back to the shell, and fg paints all of it again', { skip }, async (t) => {
  const router = await feedDouble(t, state)
  const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
  await terminal.line('echo this was here; ./top')
  const before = await terminal.shows('› tiny')
  await terminal.keys('C-z')
  await terminal.shows(/this was here[^]*Stopped/)
  t.equal(await terminal.variable('alternate_on'), '0')
  t.equal(await terminal.variable('cursor_flag'), '1')
  await terminal.line('clear; echo still $((40 + 2))')
  await terminal.shows('still 42')
  await terminal.line('fg')
  t.same(await terminal.screen('all is back', (lines) => lines.join('\n') === before.join('\n')), before)
  await terminal.keys('Tab')
  await terminal.shows('request 12 waits: waits for reason 12')
  await terminal.keys('q')
  await terminal.shows('still 42')
})

t.test('keys explain, ask, filter and help', { skip }, async (t) => {
  const router = await feedDouble(t, state, {
    'POST /api/models/unload/tiny': (_request, response) => {
      response.writeHead(202, { 'content-type': 'application/json' }).end('{"msg":"accepted"}')
    },
    'GET /api/requests/12': (_request, response) => {
      const spans = [{ type: 'queued', text: 'behind what came before', ms: 4_000 }]
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ id: 12, model: 'tiny', state: 'waiting', band: 'normal', durationMs: 4_000, spans }))
    },
  })
  const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
  await terminal.line('./top')
  await terminal.shows('u unload')
  await terminal.keys('u')
  await terminal.shows(/unload tiny\?[^]*y unloads it, any other key does not/)
  t.notOk(router.seen.some(({ method }) => method === 'POST'))
  await terminal.keys('y')
  await router.asked('POST /api/models/unload/tiny')
  await terminal.shows('tiny is unloaded when')
  await terminal.keys('Tab', 'Enter')
  await terminal.shows(/4\.0 s +behind what came before/)
  await terminal.keys('Escape')
  await terminal.keys('/', 'n', 'o', 'Enter')
  await terminal.shows('nothing here matches "no"')
  await terminal.keys('Escape')
  await terminal.keys('Z')
  await terminal.shows('"Z" does nothing here')
  await terminal.keys('?')
  const lines = await terminal.shows('keep the model loaded')
  t.match(lines.at(-1), 'Esc back')
})
