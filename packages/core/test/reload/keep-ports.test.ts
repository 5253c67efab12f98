import t from 'tap'
import { assignPorts } from '../../src/config/ports.ts'
import { keepPorts, type Config } from '../../src/index.ts'
import { configOf } from '../config/reading.ts'

const file = (ids: readonly string[], rest = ''): Config =>
  configOf(`models: { ${ids.map((id) => `${id}: { cmd: "run \${PORT}" }`).join(', ')} }\n${rest}`)
const portsOf = ({ models }: Config): Record<string, number> =>
  Object.fromEntries(models.map(({ id, port }) => [id, port]))

/** An id that falls on the same port as `id` and comes before it. */
const rivalOf = (id: string): string => {
  const port = assignPorts([id], 5_800).get(id)
  for (let number = 0; ; number += 1) {
    const rival = `a${number}`
    if (rival < id && assignPorts([rival], 5_800).get(rival) === port) return rival
  }
}
const RIVAL = rivalOf('m')

t.test('an added model moves no port of another, also where both fall on one', async (t) => {
  const before = file(['m'])
  const next = file([RIVAL, 'm'])
  t.not(portsOf(next)['m'], portsOf(before)['m'], 'read afresh the order of ids decides')
  const kept = portsOf(keepPorts(before, next))
  t.equal(kept['m'], portsOf(before)['m'])
  t.equal(kept[RIVAL], (kept['m'] ?? 0) + 1)
})

t.test('models that were added before keep what they got, in whatever order the file has them', async (t) => {
  const first = keepPorts(file(['m']), file([RIVAL, 'm']))
  t.same(portsOf(keepPorts(first, file(['z', 'm', RIVAL]))), { ...portsOf(first), ...portsOf(file(['z'])) })
})

t.test('a model that went leaves its port to who comes', async (t) => {
  t.same(portsOf(keepPorts(file(['m']), file([RIVAL]))), portsOf(file([RIVAL])))
})

t.test('the last port of the span is followed by its first', async (t) => {
  const [one] = file(['m']).models
  t.ok(one)
  if (one === undefined) return
  const before = { ...file(['m']), models: [{ ...one, port: 6_799 }] }
  const next = {
    ...file(['m', 'n']),
    models: [
      { ...one, port: 5_900 },
      { ...one, id: file(['n']).models[0]?.id ?? one.id, port: 6_799 },
    ],
  }
  t.same(portsOf(keepPorts(before, next)), { m: 6_799, n: 5_800 })
})

t.test('another startPort moves them all', async (t) => {
  const next = file(['m'], 'startPort: 9000')
  t.same(keepPorts(file(['m']), next), next)
})
