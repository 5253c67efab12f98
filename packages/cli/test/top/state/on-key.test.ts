import t from 'tap'
import { reduce } from '../../../src/top/state/reduce.ts'
import { listOf } from '../../../src/top/state/list.ts'
import { modelIn } from '../../progress/feed-state.ts'
import { press, queueOf, stateOf, uiOf, waitingIn } from '../support/states.ts'

const state = stateOf({
  models: [modelIn('big', 'ready', 2), modelIn('apple', 'stopped'), { ...modelIn('kept', 'ready'), pinned: true }],
  ...queueOf([waitingIn(7, { model: 'apple' })]),
})
const start = uiOf(state)

t.test('u asks, y unloads, and any other key does not', (t) => {
  const asked = press(start, 'u')
  t.match(asked.ui.question?.text, /unload big; 2 running requests end first\?/)
  t.same(asked.effects, [])
  t.same(press(asked.ui, 'y').effects, [{ type: 'unload', model: 'big' }])
  for (const no of ['n', 'u', 'enter', 'escape', 'q']) t.same(press(asked.ui, no).effects, [], no)
  t.equal(press(asked.ui, 'n').ui.question, undefined)
  t.end()
})

t.test('who would be refused by an unload is told before the yes', (t) => {
  const ui = uiOf(stateOf({ models: [{ ...modelIn('big', 'ready', 1), waiting: 3 }] }))
  t.match(press(ui, 'u').ui.question?.text, /unload big; 1 running request ends first, 3 waiting ones are refused\?/)
  t.end()
})

t.test('l loads, p pins and lets a pinned one go', (t) => {
  t.same(press(start, 'j', 'l').effects, [{ type: 'load', model: 'apple' }])
  t.same(press(start, 'p').effects, [{ type: 'pin', model: 'big' }])
  t.same(press(start, 'j', 'j', 'p').effects, [{ type: 'unpin', model: 'kept' }])
  t.end()
})

t.test('x cancels the chosen request after a yes, and only in the queue', (t) => {
  t.same(press(start, 'tab', 'x', 'y').effects, [{ type: 'cancel', request: '7' }])
  t.same(press(start, 'tab', 'x', 'x').effects, [])
  t.match(press(start, 'x').ui.message?.text, /choose a waiting request/)
  t.end()
})

t.test('in the queue the keys for models mean the model of the chosen request', (t) => {
  t.same(press(start, 'tab', 'l').effects, [{ type: 'load', model: 'apple' }])
  t.end()
})

t.test('with --readonly no key changes anything', (t) => {
  const ui = uiOf(state, { isReadonly: true })
  for (const key of ['l', 'u', 'p', 'x']) {
    const pressed = press(ui, key, 'y')
    t.same(pressed.effects, [], key)
    t.match(press(ui, key).ui.message?.text, /read only/)
  }
  t.end()
})

t.test('Enter explains what is chosen', (t) => {
  t.same(press(start, 'tab', 'enter').effects, [{ type: 'explain', request: '7' }])
  t.equal(press(start, 'enter').ui.overlay?.type, 'model')
  t.equal(press(start, 'enter', 'escape').ui.overlay, undefined)
  t.end()
})

t.test('f follows the log of the model, whose end stays in sight until somebody scrolls', (t) => {
  const { ui, effects } = press(start, 'f')
  t.same(effects, [{ type: 'follow-log', key: 'big', model: 'big', host: undefined }])
  const logged = reduce(ui, { type: 'logged', key: 'big', lines: ['one', 'two'] }).ui
  t.same(logged.overlay?.lines, ['one', 'two'])
  t.equal(logged.overlay?.scroll, 0)
  const back = press(logged, 'k').ui
  t.equal(reduce(back, { type: 'logged', key: 'big', lines: ['three'] }).ui.overlay?.scroll, 2)
  t.same(press(logged, 'escape').effects, [{ type: 'close-overlay' }])
  t.end()
})

t.test('a filter keeps what holds its words, as it is typed, and Esc shows all again', (t) => {
  const typed = press(start, '/', 'a', 'p', 'q', 'backspace').ui
  t.equal(listOf(typed, 'models').items.length, 1)
  t.equal(listOf(press(typed, 'enter', 'escape').ui, 'models').items.length, 3)
  // While it is typed keys are letters
  t.same(press(start, '/', 'q', 'u', 'y').effects, [])
  t.end()
})

const namesAfter = (...keys: readonly string[]): readonly unknown[] =>
  listOf(press(start, ...keys).ui, 'models').items.map((item) => (item as { model: string }).model)

t.test('s takes the next order and S turns it round', (t) => {
  t.same(namesAfter(), ['big', 'apple', 'kept'])
  t.same(namesAfter('s'), ['apple', 'big', 'kept'])
  t.same(namesAfter('s', 'S'), ['kept', 'big', 'apple'])
  t.end()
})

t.test('q and Ctrl-C quit, with different exit codes; a key that means nothing says so', (t) => {
  t.same(press(start, 'q').effects, [{ type: 'quit', exitCode: 0 }])
  const interrupted = reduce(start, { type: 'pressed', key: { input: 'c', isCtrl: true } })
  t.same(interrupted.effects, [{ type: 'quit', exitCode: 130 }])
  const stopped = reduce(press(start, 'u').ui, { type: 'pressed', key: { input: 'z', isCtrl: true } })
  t.same(stopped.effects, [{ type: 'suspend' }])
  t.match(press(start, 'Z').ui.message?.text, /"Z" does nothing here/)
  t.end()
})
