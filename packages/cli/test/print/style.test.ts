import t from 'tap'
import { hasColor, type ColorChoice, styleOf } from '../../src/print/style.ts'
import { terminal } from '../terminal.ts'

const ask = (choice: ColorChoice, isTTY: boolean, env: Record<string, string> = {}): boolean =>
  hasColor(choice, terminal({ isTTY }).stdout, env)

t.test('colour is for terminals unless something says otherwise', (t) => {
  t.equal(ask('auto', true), true)
  t.equal(ask('auto', false), false)
  t.equal(ask('auto', true, { NO_COLOR: '1' }), false)
  t.equal(ask('auto', true, { NO_COLOR: '' }), true, 'an empty NO_COLOR says nothing')
  t.equal(ask('auto', true, { TERM: 'dumb' }), false)
  t.equal(ask('auto', true, { CI: 'true' }), false)
  t.equal(ask('auto', false, { FORCE_COLOR: '1' }), true)
  t.equal(ask('auto', true, { FORCE_COLOR: '0' }), false)
  t.equal(ask('auto', false, { FORCE_COLOR: '1', NO_COLOR: '1' }), true, 'FORCE_COLOR is the stronger one')
  t.end()
})

t.test('the command line decides first', (t) => {
  t.equal(ask('always', false, { NO_COLOR: '1' }), true)
  t.equal(ask('never', true, { FORCE_COLOR: '1' }), false)
  t.end()
})

t.test('a style that is off leaves text alone', (t) => {
  t.equal(styleOf(false).red('x'), 'x')
  t.equal(styleOf(true).red('x'), '\u001B[31mx\u001B[39m')
  t.end()
})
