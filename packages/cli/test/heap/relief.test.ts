import t from 'tap'
import { createRelief, relieve } from '../../src/heap/relief.ts'

const KIB = 1024

t.test('what is young is collected once for every 8 MiB of large pieces', async (t) => {
  let times = 0
  const told = createRelief(() => (times += 1))
  for (let piece = 0; piece < 127; piece++) told(64 * KIB)
  t.equal(times, 0)
  told(64 * KIB)
  t.equal(times, 1)
  for (let piece = 0; piece < 256; piece++) told(64 * KIB)
  t.equal(times, 3)
})

t.test('small pieces are left to V8', async (t) => {
  let times = 0
  const told = createRelief(() => (times += 1))
  for (let piece = 0; piece < 100_000; piece++) told(250)
  t.equal(times, 0)
})

t.test('pieces that nobody holds do not gather', async (t) => {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let piece = 0; piece < 4_000; piece++) {
    relieve(Buffer.alloc(64 * KIB, piece).length)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  t.ok(most < 56 * KIB * KIB, `${most} bytes at most`)
})
