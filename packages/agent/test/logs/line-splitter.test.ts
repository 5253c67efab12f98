import t from 'tap'
import { createLineSplitter } from '../../src/logs/line-splitter.ts'

const split = (chunks: readonly (string | Buffer)[], maxLineBytes?: number): string[] => {
  const lines: string[] = []
  const splitter = createLineSplitter((line) => lines.push(line.toString('utf8')), maxLineBytes)
  for (const chunk of chunks) splitter.write(Buffer.from(chunk))
  splitter.end()
  return lines
}

t.test('cuts at line ends, however the chunks fall', async (t) => {
  t.same(split(['a\nb', 'c\n', '\n', 'd']), ['a', 'bc', '', 'd'])
})

t.test('keeps a character whole whose bytes come in two chunks', async (t) => {
  const bytes = Buffer.from('漢字\n')
  for (let at = 1; at < bytes.length; at += 1) {
    t.same(split([bytes.subarray(0, at), bytes.subarray(at)]), ['漢字'], `cut at ${at}`)
  }
})

t.test('cuts a long line into pieces between characters', async (t) => {
  const pieces = split(['漢'.repeat(5), '漢\nend'], 7)
  t.same(pieces, ['漢漢', '漢漢', '漢漢', 'end'])
})

t.test('never keeps more than one line length of output without line ends', async (t) => {
  const sizes: number[] = []
  const splitter = createLineSplitter((line) => sizes.push(line.length), 10)
  for (let count = 0; count < 100; count += 1) splitter.write(Buffer.from('xxxxxxx'))
  splitter.end()
  t.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    700,
  )
  t.ok(Math.max(...sizes) <= 10)
})

t.test('cuts bytes that are no text somewhere rather than never', async (t) => {
  const lines = split([Buffer.alloc(25, 0x80)], 10)
  t.equal(lines.length, 3)
})
