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

t.test('tells of chunks that end a line, once each', async (t) => {
  const log = createModelLog()
  const stream = new PassThrough()
  let hints = 0
  log.follow(stream, () => (hints += 1))
  stream.write('no end yet')
  await new Promise(setImmediate)
  t.equal(hints, 0)
  stream.write(' now\nand another\n')
  await new Promise(setImmediate)
  t.equal(hints, 1)
})
