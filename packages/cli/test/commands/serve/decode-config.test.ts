import t from 'tap'
import { decodeConfig } from '../../../src/commands/serve/decode-config.ts'

const TEXT = 'models:\n  é😀: { cmd: "x" }\n'
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16()

t.test('UTF-8, with and without its mark, and UTF-16 with its own', async (t) => {
  t.same(decodeConfig(Buffer.from(TEXT)), { text: TEXT })
  t.same(decodeConfig(Buffer.from(`\uFEFF${TEXT}`)), { text: TEXT })
  t.same(decodeConfig(Buffer.from(`\uFEFF${TEXT}`, 'utf16le')), { text: TEXT })
  t.same(decodeConfig(swapped(Buffer.from(`\uFEFF${TEXT}`, 'utf16le'))), { text: TEXT })
  t.same(decodeConfig(Buffer.alloc(0)), { text: '' })
})

t.test('UTF-16 without its mark, and what is no text at all', async (t) => {
  t.match(decodeConfig(Buffer.from('models:', 'utf16le')), {
    problem: { at: 1, message: /NUL.*save the file as UTF-8/ },
  })
  t.match(decodeConfig(Buffer.from('GGUF\u0003\0\0\0')), { problem: { at: 5 } })
})

t.test('another encoding is told at its first character, also behind a U+FFFD that the file has itself', async (t) => {
  t.match(decodeConfig(Buffer.from('a: 1\nb: caf\xe9\n', 'latin1')), {
    problem: { at: 11, message: /not UTF-8, perhaps Latin-1/ },
  })
  const mixed = Buffer.concat([
    Buffer.from('\uFEFFä: \uFFFD\uFFFD x'),
    Buffer.from('\xe9', 'latin1'),
    Buffer.from(' y'),
  ])
  t.match(decodeConfig(mixed), { problem: { at: 7 } })
  t.same(decodeConfig(Buffer.from('ä: \uFFFD')), { text: 'ä: \uFFFD' })
})
