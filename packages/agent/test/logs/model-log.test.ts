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
