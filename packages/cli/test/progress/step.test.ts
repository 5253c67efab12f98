import t from 'tap'
import { bar } from '../../src/progress/bar.ts'
import { loadStep, unloadStep } from '../../src/progress/step.ts'
import { styleOf } from '../../src/print/style.ts'
import { emptyState, modelIn, swapOf } from './feed-state.ts'

const waiting = {
  id: 1,
  model: 'a',
  band: 'normal',
  priority: 0,
  caller: 'anonymous',
  receivedAt: 500,
  position: 1,
  attempts: 0,
  estimate: null,
  cause: { type: 'draining', text: 'draining b' },
}

t.test('a load waits, makes room, waits for memory, loads; by the id or an alias', (t) => {
  const models = [modelIn('a', 'stopped'), modelIn('b', 'ready')]
  const at = (changes: object) => loadStep({ state: { ...emptyState, models, ...changes }, at: 2_000 }, 'a-alias')
  t.match(at({ waiting: [waiting] }), { text: 'a waits: draining b', since: 500 })
  t.match(at({ swaps: [swapOf('a', { phase: 'stopping', evict: ['b'] })], waiting: [waiting] }), {
    text: 'a: stopping b to make room',
    since: 1_000,
  })
  t.match(at({ swaps: [swapOf('a', { phase: 'waiting-memory' })] }), { text: 'a: waiting for memory' })
  t.match(at({ swaps: [swapOf('a', { loadingAt: 1_500 })] }), { text: 'loading a on local', since: 1_500 })
  t.equal(at({ swaps: [swapOf('b'), swapOf('a', { endedAt: 1 })] }), undefined)
  t.equal(loadStep({ state: { ...emptyState, models: [modelIn('a', 'ready')] }, at: 0 }, 'a'), undefined)
  t.end()
})

const step = (changes: object) =>
  loadStep({ state: { ...emptyState, models: [modelIn('a', 'loading')], swaps: [swapOf('a', changes)] }, at: 0 }, 'a')

t.test('how far: what the engine says, else what loads took before, and never done before it is', (t) => {
  t.equal(step({})?.fraction(9_000), undefined)
  t.equal(step({ expectedLoadMs: 4_000 })?.fraction(2_000), 0.25)
  t.equal(step({ expectedLoadMs: 4_000 })?.fraction(60_000), 0.99)
  t.equal(step({ expectedLoadMs: 4_000, fraction: 0.6 })?.fraction(2_000), 0.6)
  t.equal(step({ expectedLoadMs: 4_000 })?.text, 'loading a on local, usually 4.0 s')
  t.end()
})

t.test('an unload tells what it waits for', (t) => {
  const models = [modelIn('a', 'stopping', 2), modelIn('b', 'stopping'), modelIn('c', 'ready')]
  const seen = { state: { ...emptyState, models }, at: 0 }
  t.equal(unloadStep(seen, ['a'])?.text, 'a: 2 running requests may end first')
  t.equal(unloadStep(seen, ['b-alias'])?.text, 'stopping b')
  t.equal(unloadStep(seen, undefined)?.text, 'a, b: 2 running requests may end first')
  t.equal(unloadStep(seen, ['c']), undefined)
  t.end()
})

t.test('a bar is one line that fits the terminal', (t) => {
  const long = { text: 'loading a model with a long name on local', since: 1_000, fraction: () => 0.5 }
  const style = styleOf(false)
  t.equal(
    bar({ ...long, text: 'loading a' }, 3_000, { columns: 80, style }),
    'loading a  [############------------]  50 %  2.0 s',
  )
  for (const columns of [1, 20, 40, 60, 70, 80, 200]) {
    t.ok(bar(long, 3_000, { columns, style }).length <= Math.max(columns, 9), `${columns} columns`)
  }
  t.notMatch(bar(long, 3_000, { columns: 50, style }), /#/, 'words alone where there is no room')
  t.end()
})
