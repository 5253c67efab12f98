import { PassThrough } from 'node:stream'
import t from 'tap'
import { createModelLog } from '../../src/logs/model-log.ts'

t.test('marks starts and tells their lines apart', async (t) => {
  const log = createModelLog()
  log.mark('start 1')
  const stream = new PassThrough()
  log.follow(stream)
  stream.end('one\ntwo')
  await new Promise((resolve) => stream.once('close', resolve))
  const since = log.mark('start 2')
  t.same(log.tail(9), ['--- start 1 ---', 'one', 'two', '--- start 2 ---'])
  t.same(log.tail(9, since), [])
})

t.test('tells of each line once it is complete', async (t) => {
  const log = createModelLog()
  const stream = new PassThrough()
  const lines: string[] = []
  log.follow(stream, (line) => lines.push(line.toString()))
  stream.write('no end yet')
  await new Promise(setImmediate)
  t.same(lines, [])
  stream.write(' now\nand another\n')
  await new Promise(setImmediate)
  t.same(lines, ['no end yet now', 'and another'])
})

t.test('whoever reads it reads no secrets, and the loader of the engine the lines as they are', async (t) => {
  const log = createModelLog({ redact: (text) => text.replaceAll('swordfish', '***') })
  const seen: string[] = []
  const stream = new PassThrough()
  log.follow(stream, (line) => seen.push(line.toString()))
  stream.write('my swordfish\n')
  await new Promise(setImmediate)
  t.same(seen, ['my swordfish'])
  t.same(log.tail(1), ['my ***'])
  const told = await new Promise<string>((resolve) => log.tell({ tail: 1, onText: resolve }))
  t.equal(told, 'my ***\n')
})
