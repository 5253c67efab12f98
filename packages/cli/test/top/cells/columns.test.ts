import t from 'tap'
import { headerRow, itemRow, sizeColumns, type Column } from '../../../src/top/cells/columns.ts'
import { textOfRow } from '../../../src/top/cells/row.ts'
import { segmentRow } from '../../../src/top/cells/segments.ts'
import { wrap, wrapIn } from '../../../src/top/cells/wrap.ts'
import { widthOf } from '../../../src/print/width.ts'

const COLUMNS: readonly Column<string>[] = [
  { title: 'NAME', cell: (name) => name, priority: 0, width: 6, grows: { share: 1, max: 10 } },
  { title: 'B', cell: () => 'b', priority: 2, width: 4 },
  { title: 'C', cell: () => 'c', priority: 1, width: 4, align: 'right' },
]

const titlesAt = (width: number): readonly string[] => sizeColumns(COLUMNS, width).map(({ title }) => title)

t.test('where there is no room, the column with the highest priority number goes first', (t) => {
  t.same(titlesAt(20), ['NAME', 'B', 'C'])
  t.same(titlesAt(19), ['NAME', 'C'])
  t.same(titlesAt(13), ['NAME'])
  t.same(titlesAt(3), ['NAME'])
  t.end()
})

t.test('room that is left goes to columns that grow, up to their limit', (t) => {
  t.equal(sizeColumns(COLUMNS, 22)[0]?.size, 8)
  t.equal(sizeColumns(COLUMNS, 90)[0]?.size, 10)
  t.end()
})

t.test('names of any script end in the same column', (t) => {
  const columns = sizeColumns(COLUMNS, 24)
  const rows = ['plain', '通义千问', '🚀 rocket'].map((name) =>
    textOfRow(itemRow(columns, name, { now: 0, isChosen: false })),
  )
  t.same(
    rows.map((row) => widthOf(row.slice(0, row.indexOf(' b ')))),
    [12 + 1, 12 + 1, 12 + 1],
  )
  t.equal(widthOf(textOfRow(headerRow(columns))), widthOf(rows[0] ?? ''))
  t.end()
})

t.test('the chosen row has a mark, not only a colour', (t) => {
  const columns = sizeColumns(COLUMNS, 24)
  t.match(textOfRow(itemRow(columns, 'x', { now: 0, isChosen: true })), /^› x/)
  t.match(textOfRow(itemRow(columns, 'x', { now: 0, isChosen: false })), /^ {2}x/)
  t.end()
})

t.test('pieces side by side leave by their priority', (t) => {
  const segments = [
    { text: 'first', priority: 2 },
    { text: 'second', priority: 0 },
    { text: 'third', priority: 1 },
  ]
  t.equal(textOfRow(segmentRow(segments, 20)), 'first  second  third')
  t.equal(textOfRow(segmentRow(segments, 19)), 'second  third')
  t.equal(textOfRow(segmentRow(segments, 12)), 'second')
  t.equal(textOfRow(segmentRow(segments, 3)), 'se…')
  t.end()
})

t.test('long text is broken between words, and a word that is too long within', (t) => {
  t.same(wrap('one two three', 7), ['one two', 'three'])
  t.same(wrap('abcdefgh ij', 4), ['abcd', 'efgh', 'ij'])
  t.same(wrap('通义千问', 5), ['通义', '千问'])
  t.same(wrapIn('one two three four', { width: 7, height: 2 }), ['one two', 'three…'])
  t.end()
})
