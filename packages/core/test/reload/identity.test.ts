import t from 'tap'
import { processIdentity } from '../../src/index.ts'
import { configOf } from '../config/reading.ts'

t.test('what a definition stands for is worked out once, and anew for another one', async (t) => {
  const [plain] = configOf('models:\n  a: { cmd: "run a ${PORT}" }\n').models
  if (plain === undefined) throw new Error('there is a model')
  let reads = 0
  const watched = Object.defineProperty({ ...plain }, 'cmd', {
    get: () => {
      reads += 1
      return plain.cmd
    },
  })
  const first = processIdentity(watched)
  t.ok(reads > 0)
  const once = reads
  t.equal(processIdentity(watched), first)
  t.equal(reads, once)
  t.equal(processIdentity(plain), first)
  t.not(processIdentity({ ...plain, cmd: 'run another' }), first)
})
