import t from 'tap'
import { parseOptions } from '../../src/fake/options.ts'

t.test('reads flags, numbers and texts, short names too', async (t) => {
  const args = ['-m', 'a.gguf', '-np', '2', '--load-ms', '30', '--echo', '--alias', 'a']
  t.same(parseOptions(args), {
    options: { model: 'a.gguf', parallel: 2, loadMs: 30, echo: true, alias: 'a' },
    ignored: [],
  })
})

t.test('passes over switches it does not know, with their values', async (t) => {
  const args = ['-ngl', '99', '--seed', '-1', '--jinja', '--port', '80', '--flash-attn', 'on']
  t.same(parseOptions(args), {
    options: { port: 80 },
    ignored: ['-ngl', '99', '--seed', '-1', '--jinja', '--flash-attn', 'on'],
  })
})

t.test('refuses what it cannot act on', async (t) => {
  t.throws(() => parseOptions(['--port']), /"--port": expected value/)
  t.throws(() => parseOptions(['--load-ms', 'soon']), /"soon" is not a number/)
  t.throws(() => parseOptions(['--crash-at', 'noon']), /load or idle/)
  t.throws(() => parseOptions(['--vram-mb', '10']), /needs --gpu-file/)
})
