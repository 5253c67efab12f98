import t from 'tap'
import { textOfRow } from '../../../src/top/cells/row.ts'
import { screen } from '../../../src/top/screen/screen.ts'
import { reduce } from '../../../src/top/state/reduce.ts'
import type { Ui } from '../../../src/top/state/ui.ts'
import { widthOf } from '../../../src/print/width.ts'
import { modelIn } from '../../progress/feed-state.ts'
import { modelsNamed, NOW, press, queueOf, seenOf, stateOf, uiOf, waitingIn } from '../support/states.ts'

const textsOf = (ui: Ui, columns = 80, rows = 24, ownNow = 0): readonly string[] =>
  screen(ui, { columns, rows }, ownNow).rows.map(textOfRow)

const full = stateOf({
  models: [...modelsNamed(500), modelIn('通义千问-72b', 'ready'), modelIn('🚀 rocket', 'loading', 1)],
  ...queueOf(
    Array.from({ length: 500 }, (_, at) => waitingIn(at + 1)),
    5_000,
  ),
})

t.test('no screen has more rows than the terminal, and no row is wider, whatever is shown', (t) => {
  const start = uiOf(
    stateOf({
      models: [...modelsNamed(60), modelIn('通义千问-72b', 'ready'), modelIn('🚀 rocket', 'loading', 1)],
      ...queueOf(Array.from({ length: 60 }, (_, at) => waitingIn(at + 1))),
    }),
  )
  const uis = [
    start,
    press(start, 'tab').ui,
    press(start, 'tab', 'enter').ui,
    press(start, 'enter').ui,
    press(start, '?').ui,
    press(start, 'u').ui,
    press(start, '/', 'r', 'o').ui,
    press(start, 'end').ui,
    reduce(start, { type: 'lost', at: 0, why: 'no word '.repeat(40), retryAt: 1 }).ui,
    reduce(start, { type: 'told', text: 'x'.repeat(500) }).ui,
  ]
  for (const [at, ui] of uis.entries()) {
    for (const rows of [1, 2, 3, 7, 8, 12, 20, 24, 60]) {
      for (const columns of [1, 2, 10, 40, 80, 200]) {
        const texts = textsOf(ui, columns, rows)
        const wide = texts.find((text) => widthOf(text) > columns)
        if (texts.length > rows || wide !== undefined)
          t.fail(`screen ${at} at ${columns}×${rows}: ${wide ?? texts.length}`)
      }
    }
  }
  t.equal(textsOf(start).length, 24)
  t.end()
})

t.test('at 80×24 the start shows the key that unloads a model', (t) => {
  t.match(textsOf(uiOf(full)).at(-1), /u unload/)
  t.end()
})

t.test('one key from the start a sentence says why the first request waits', (t) => {
  const texts = textsOf(press(uiOf(full), 'tab').ui)
  t.match(texts.at(-3), /^request 1 waits: waits for reason 1/)
  t.end()
})

t.test('at 80 columns the cause has the room, and the number of the request comes on wider screens', (t) => {
  const { ui } = press(uiOf(full), 'tab')
  t.match(textsOf(ui).join('\n'), /BAND +WAITED +ESTIMATE +WHY[^]*waits for reason 1 /)
  t.match(textsOf(ui, 100).join('\n'), /ESTIMATE +REQUEST +WHY/)
  t.end()
})

t.test('an estimate that is only a limit says at most', (t) => {
  const times = { lowAt: NOW, medianAt: NOW + 600_000, highAt: NOW + 605_000 }
  const waiting = [waitingIn(1, { estimate: { ...times, isLimit: true } }), waitingIn(2, { estimate: times })]
  const { ui } = press(uiOf(stateOf(queueOf(waiting))), 'tab')
  const text = textsOf(ui, 120).join('\n')
  t.match(text, / <10m 5s .*\n.* 10m 0s /)
  t.match(text, /request 1 waits: .*; its turn comes in at most 10m 5s/)
  t.match(textsOf(press(ui, 'j').ui, 120).join('\n'), /its turn is expected in 10m 0s \(0\.0 s – 10m 5s\)/)
  t.end()
})

t.test('a stopped model that comes back by itself says when', (t) => {
  const back = { ...modelIn('tiny', 'stopped'), restoreAt: NOW + 61_000 }
  t.match(
    textsOf(uiOf(stateOf({ models: [back] })), 120).join('\n'),
    /it comes back in 1m 1s if nothing else is wanted/,
  )
  t.end()
})

t.test('at 40×12 the keys that count are there, and the panel in focus has names, states and what waits', (t) => {
  const texts = textsOf(uiOf(full), 40, 12)
  t.match(texts.at(-1), /u unload.*\? help.*q quit/)
  t.match(texts.join('\n'), /MODEL +STATE +BUSY +QUEUE/)
  t.notMatch(texts.join('\n'), /MEMORY/)
  t.match(
    textsOf(press(uiOf(full), 'tab').ui, 40, 12).join('\n'),
    /POS +MODEL +WAITED +WHY *\n› +1 +tiny +5h 0m +waits/,
  )
  t.end()
})

t.test('a list scrolls so that the chosen row is to be seen', (t) => {
  const { ui } = press(uiOf(full), 'end', 'k', 'k')
  t.match(textsOf(ui).join('\n'), /› model-500/)
  t.match(textsOf(press(ui, 'home').ui).join('\n'), /› model-001/)
  t.end()
})

t.test('the queue says how many wait though the first are told alone', (t) => {
  t.match(textsOf(press(uiOf(full), 'tab').ui).join('\n'), /Queue 5000: 5000 normal/)
  t.end()
})

t.test('while nothing is heard the header says so, times stand still and numbers are old', (t) => {
  const live = uiOf(full)
  const lost = reduce(live, { type: 'lost', at: 1_000, why: 'nothing listens there', retryAt: 3_000 }).ui
  const frame = screen(lost, { columns: 80, rows: 24 }, 2_000)
  t.match(textOfRow(frame.rows[0] ?? { spans: [] }), /STALE 1\.0 s/)
  t.match(frame.rows.map(textOfRow).join('\n'), /nothing listens there \(next try in 1\.0 s\)/)
  t.ok(frame.rows.slice(1, 20).every(({ isOld }) => isOld))
  const again = reduce(lost, { type: 'seen', seen: seenOf(full), at: 4_000 }).ui
  t.match(textsOf(again, 80, 24, 4_000)[0], /live/)
  t.end()
})

t.test('a row that is gone leaves its place to the next, and one that moved stays chosen', (t) => {
  const three = stateOf(queueOf([waitingIn(1), waitingIn(2), waitingIn(3)]))
  const { ui } = press(uiOf(three), 'tab', 'j')
  const moved = reduce(ui, { type: 'seen', seen: seenOf(stateOf(queueOf([waitingIn(2), waitingIn(3)]))), at: 0 }).ui
  t.match(textsOf(moved).join('\n'), /› +2 +tiny/)
  const gone = reduce(moved, { type: 'seen', seen: seenOf(stateOf(queueOf([waitingIn(3)]))), at: 0 }).ui
  t.match(textsOf(gone).join('\n'), /› +3 +tiny/)
  t.end()
})
