import type { Failure } from '@lswap/core'
import t from 'tap'
import { feedStateOf } from '../../../src/top/agents/feed-state.ts'
import { afterHeard, startView } from '../../../src/top/agents/view.ts'
import { footerRow } from '../../../src/top/screen/footer.ts'
import { screen } from '../../../src/top/screen/screen.ts'
import { textOfRow } from '../../../src/top/cells/row.ts'
import type { Ui } from '../../../src/top/state/ui.ts'
import { lookOf, processIn } from '../support/looks.ts'
import { press, uiOf } from '../support/states.ts'

const uiWith = (isInUse: boolean, ...ready: readonly string[]): Ui => {
  const states = ['tiny', 'big'].map((model) => processIn(model, ready.includes(model) ? 'ready' : 'stopped'))
  const look = lookOf(states, { isInUse })
  const view = afterHeard(startView(['box']), { type: 'looked', host: 'box', at: 0, look })
  return uiOf(feedStateOf(view), { kind: 'agents' })
}
const at = { host: 'box', force: false }

t.test('l loads at once where nothing runs', (t) => {
  t.same(press(uiWith(false), 'l').effects, [{ type: 'load-at', model: 'tiny', evict: [], ...at }])
  t.end()
})

t.test('where something runs l asks whether it goes: y swaps, b loads beside, anything else does nothing', (t) => {
  const asked = press(uiWith(false, 'tiny'), 'j', 'l')
  t.same(asked.effects, [])
  t.match(asked.ui.question?.text, /load big on box, where tiny runs\?/)
  t.match(textOfRow(footerRow(asked.ui, 80)), /y in place of it, b beside, any other key does not/)
  t.same(press(asked.ui, 'y').effects, [{ type: 'load-at', model: 'big', evict: ['tiny'], ...at }])
  t.same(press(asked.ui, 'b').effects, [{ type: 'load-at', model: 'big', evict: [], ...at }])
  t.same(press(asked.ui, 'l').effects, [])
  t.end()
})

t.test('u asks, and says so where nothing runs', (t) => {
  t.same(press(uiWith(false, 'tiny'), 'u').effects, [])
  t.same(press(uiWith(false, 'tiny'), 'u', 'y').effects, [{ type: 'unload-at', model: 'tiny', ...at }])
  t.match(press(uiWith(false), 'u').ui.message?.text, /tiny does not run on box/)
  t.end()
})

t.test('while a router uses the host every change asks, says so, and is forced by a yes alone', (t) => {
  const forced = { host: 'box', force: true }
  const load = press(uiWith(true), 'l')
  t.same(load.effects, [])
  t.match(load.ui.question?.text, /a router uses this host and may undo it; load tiny on box\?/)
  t.same(press(load.ui, 'y').effects, [{ type: 'load-at', model: 'tiny', evict: [], ...forced }])
  const unload = press(uiWith(true, 'tiny'), 'u')
  t.match(unload.ui.question?.text, /a router uses this host/)
  t.same(press(unload.ui, 'y').effects, [{ type: 'unload-at', model: 'tiny', ...forced }])
  t.end()
})

t.test('what agents do not have is said, and not offered', (t) => {
  t.match(press(uiWith(false), 'p').ui.message?.text, /no pins/)
  t.match(press(uiWith(false), 'x').ui.message?.text, /nobody waits/)
  const shown = screen(uiWith(false), { columns: 80, rows: 24 }, 0).rows.map(textOfRow)
  t.notMatch(shown.at(-1), /pin|cancel/)
  t.notMatch(shown.join('\n'), /Queue/)
  t.equal(press(uiWith(false), 'tab').ui.focus, 'events')
  t.end()
})

t.test('with --readonly no key changes anything at an agent either', (t) => {
  const ui = { ...uiWith(false, 'tiny'), isReadonly: true }
  for (const key of ['l', 'u']) t.same(press(ui, key, 'y').effects, [], key)
  t.end()
})

t.test('f follows the log of the model on that host', (t) => {
  const { ui, effects } = press(uiWith(false, 'tiny'), 'f')
  t.same(effects, [{ type: 'follow-log', key: 'tiny on box', model: 'tiny', host: 'box' }])
  t.equal(ui.overlay?.key, 'tiny on box')
  t.end()
})

const shownWith = (sampledAt: number | undefined, failure?: Failure): string => {
  const engine = sampledAt === undefined ? null : { running: 1, sampledAt }
  const process = { model: 'tiny', epoch: 1, pid: 4_711, memoryBytes: null, deviceBytes: null, engine }
  const look = lookOf([processIn('tiny', 'ready', { slots: 4 })], { at: 10_000, processes: [process] })
  let view = afterHeard(startView(['box']), { type: 'looked', host: 'box', at: 0, look })
  if (failure !== undefined) view = afterHeard(view, { type: 'lost', host: 'box', at: 0, failure })
  const ui = uiOf(feedStateOf(view), { kind: 'agents' })
  return [ui, press(ui, 'enter').ui]
    .flatMap((shown) => screen(shown, { columns: 120, rows: 24 }, 0).rows)
    .map(textOfRow)
    .join('\n')
}

t.test('slots in use are those that the engine told of lately', (t) => {
  const fresh = shownWith(9_000)
  t.match(fresh, / 1\/4/)
  t.match(fresh, /process 4711/)
  t.match(fresh, /1 of 4 slots in use/)
  for (const unknown of [
    shownWith(undefined),
    shownWith(4_999),
    shownWith(9_000, { code: 'timed_out', message: 'x' }),
  ]) {
    t.match(unknown, / -\/4/)
    t.notMatch(unknown, /slots in use/)
  }
  t.match(shownWith(5_000), / 1\/4/)
  t.end()
})
