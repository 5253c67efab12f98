import type { Key as InkKey } from 'ink'
import t from 'tap'
import { keysOf } from '../../../src/top/terminal/keyboard.ts'

const none = {} as InkKey

t.test('keys that were pressed quickly come one by one, those without a letter too', (t) => {
  t.same(keysOf('jj\ru\u0003', none), [
    { input: 'j' },
    { input: 'j' },
    { input: '', name: 'enter' },
    { input: 'u' },
    { input: 'c', isCtrl: true },
  ])
  t.end()
})

t.test('keys that Ink names keep their names', (t) => {
  t.same(keysOf('', { ...none, upArrow: true }), [{ input: '', name: 'up' }])
  t.same(keysOf('', { ...none, tab: true, shift: true }), [{ input: '', name: 'back-tab' }])
  t.same(keysOf('z', { ...none, ctrl: true }), [{ input: 'z', isCtrl: true }])
  t.same(keysOf('x', { ...none, meta: true }), [])
  t.end()
})
