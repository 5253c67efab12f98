import t from 'tap'
import { styleOf } from '../../src/print/style.ts'
import { type Column, table } from '../../src/print/table.ts'

interface Row {
  readonly name: string
  readonly size?: number
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'NAME', cell: (row) => row.name, paint: (text) => `<${text}>` },
  { title: 'SIZE', cell: (row) => row.size?.toString(), align: 'right' },
  { title: 'NOTE', cell: () => 'x' },
]

t.test('columns are as wide as they need, with a dash for what is not there', (t) => {
  const text = table(COLUMNS, [{ name: 'tiny', size: 7 }, { name: 'enormous' }], styleOf(false))
  t.equal(text, ['NAME      SIZE  NOTE', '<tiny>         7  x', '<enormous>     -  x', ''].join('\n'))
  t.end()
})

t.test('no rows leave the header', (t) => {
  t.equal(table(COLUMNS, [], styleOf(false)), 'NAME  SIZE  NOTE\n')
  t.end()
})

t.test('a cell can neither break the line nor steer the terminal', (t) => {
  const text = table(COLUMNS, [{ name: 'a\nb\u001B[2J' }], styleOf(false))
  t.equal(text.split('\n')[1], '<a b\\x1b[2J>     -  x')
  t.end()
})

t.test('colour does not change the widths', (t) => {
  const plain = table(COLUMNS, [{ name: 'tiny', size: 7 }], styleOf(false))
  const coloured = table(COLUMNS, [{ name: 'tiny', size: 7 }], styleOf(true))
  t.not(coloured, plain)
  t.equal(coloured.replaceAll('\u001B[1m', '').replaceAll('\u001B[22m', ''), plain)
  t.end()
})

t.test('wide characters count as the two columns that they take', (t) => {
  const text = table(
    COLUMNS,
    [
      { name: '通义', size: 1 },
      { name: 'abcd', size: 2 },
    ],
    styleOf(false),
  )
  t.equal(text, ['NAME  SIZE  NOTE', '<通义>     1  x', '<abcd>     2  x', ''].join('\n'))
  t.end()
})
