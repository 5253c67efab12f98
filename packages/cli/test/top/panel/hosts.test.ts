import t from 'tap'
import { textOfRow } from '../../../src/top/cells/row.ts'
import { screen } from '../../../src/top/screen/screen.ts'
import { press, stateOf, uiOf } from '../support/states.ts'

const GIB = 2 ** 30
const gpu = { name: 'gpu0', totalBytes: 24 * GIB, usedBytes: 18 * GIB, use: 0.5 }
const shown = (host: object, columns = 120) => {
  const ui = uiOf(stateOf({ hosts: [{ host: 'box', up: true, devices: [gpu], failure: null, ...host }] }))
  const frame = screen(press(ui, 'back-tab').ui, { columns, rows: 24 }, 0)
  const row = frame.rows.find((one) => textOfRow(one).includes('gpu0'))
  return { text: row === undefined ? '' : textOfRow(row), isOld: row?.isOld === true, all: frame.rows.map(textOfRow) }
}

t.test('a device shows memory used of all, how full it is, and its use', (t) => {
  const { text, isOld, all } = shown({})
  t.match(text, /box +up +gpu0 +18 GiB \/ 24 GiB +\[########--\] +50 % +\[#####-----\]/)
  t.notOk(isOld)
  t.match(all.join('\n'), /box, gpu0: its agent answers; 18 GiB \/ 24 GiB, in use 50 % of the time/)
  t.end()
})

t.test('at 80 columns the bar of the memory is there, and the use as a number', (t) => {
  t.match(shown({}, 80).text, /18 GiB \/ 24 GiB +\[########--\] +50 %/)
  t.end()
})

t.test('what is not told is neither zero nor idle', (t) => {
  const { text } = shown({ devices: [{ name: 'gpu0', totalBytes: 24 * GIB, usedBytes: null, use: null }] })
  t.match(text, /\? \/ 24 GiB +-/)
  t.notMatch(text, /\[|0 %/)
  t.end()
})

t.test('a device that was not read for long, or whose agent is lost, is dimmed and says so', (t) => {
  const stale = shown({ devices: [{ ...gpu, isStale: true }] })
  t.ok(stale.isOld)
  t.match(stale.text, /stale/)
  t.match(stale.all.join('\n'), /the last that it told/)
  const down = shown({ up: false })
  t.ok(down.isOld)
  t.match(down.text, /DOWN/)
  t.match(down.all.join('\n'), /Hosts 1, 1 DOWN/)
  t.end()
})
