import t from 'tap'
import { cut, fit, widthOf } from '../../src/print/width.ts'

t.test('a Chinese character and an emoji take two columns', (t) => {
  t.equal(widthOf('qwen'), 4)
  t.equal(widthOf('通义'), 4)
  t.equal(widthOf('🚀x'), 3)
  t.end()
})

t.test('every text is made exactly as wide as its cell', (t) => {
  for (const text of [
    '',
    'a',
    'a long name',
    '通义千问千问',
    'x通义千问',
    '🚀🚀🚀🚀',
    'e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301',
  ]) {
    for (const width of [1, 2, 5, 6, 12]) {
      t.equal(widthOf(fit(text, width)), width, `${text} in ${width}`)
      t.equal(widthOf(fit(text, width, 'right')), width)
    }
  }
  t.end()
})

t.test('what is cut says so, and no character is cut in half', (t) => {
  t.equal(cut('abcdef', 4), 'abc…')
  t.equal(cut('通义千问', 4), '通…')
  t.equal(cut('通义', 4), '通义')
  t.end()
})

t.test('a name can not steer the terminal', (t) => {
  t.equal(fit('a\u001B[2Jb\nc', 12), String.raw`a\x1b[2Jb c `)
  t.end()
})
