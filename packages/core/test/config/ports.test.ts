import t from 'tap'
import { assignPorts, portArgument, portOfUrl } from '../../src/config/ports.ts'

t.test('a port hangs on the id alone', async (t) => {
  const few = assignPorts(['tiny', 'big'], 5800)
  const more = assignPorts(['0', 'another', 'big', 'tiny', 'zzz'], 5800)
  t.equal(few.get('tiny'), more.get('tiny'))
  t.equal(few.get('big'), more.get('big'))
  // FNV-1a of "a" is 0xe40c292c: pinned, since a changed hash would move the ports of every user.
  t.equal(assignPorts(['a'], 5800).get('a'), 5800 + (0xe40c292c % 1000))
  t.equal(assignPorts(['a'], 7000).get('a'), 7000 + (0xe40c292c % 1000))
})

const alone = (id: string): number | undefined => assignPorts([id], 1).get(id)

t.test('models on one port part in the order of their ids', async (t) => {
  // Two ids that fall on one port, found by looking.
  const ids = Array.from({ length: 200 }, (_, index) => `m${index}`)
  const pair = ids.flatMap((a) => ids.filter((b) => b > a && alone(a) === alone(b)).map((b) => [a, b] as const))[0]
  t.ok(pair)
  const [first = '', second = ''] = pair ?? []
  const ports = assignPorts([second, first], 1)
  t.equal(ports.get(first), alone(first))
  t.equal(ports.get(second), ((alone(second) ?? 0) % 1000) + 1)
})

t.test('no port is given twice, none lies beyond the span, and there is an end', async (t) => {
  const ports = assignPorts(
    Array.from({ length: 1200 }, (_, index) => `model ${index}`),
    64_536,
  )
  t.equal(ports.size, 1000)
  t.equal(new Set(ports.values()).size, 1000)
  t.equal(Math.min(...ports.values()), 64_536)
  t.equal(Math.max(...ports.values()), 65_535)
})

t.test('finds ports that are written out', async (t) => {
  t.equal(portOfUrl('http://localhost:9001/v1'), 9001)
  t.equal(portOfUrl('http://127.0.0.1:9001'), 9001)
  t.equal(portOfUrl('http://[::1]:9001'), 9001)
  t.equal(portOfUrl('http://localhost'), 80)
  t.equal(portOfUrl('http://127.0.0.1:${PORT}'), undefined)
  t.equal(portOfUrl('http://gpu-box:9001'), undefined, 'another machine')
  t.equal(portArgument(['a', '--port', '9001']), 9001)
  t.equal(portArgument(['a', '--port=9001']), 9001)
  t.equal(portArgument(['a', '--port', '${PORT}']), undefined)
  t.equal(portArgument(['a', '--port']), undefined)
  t.equal(portArgument(['9001']), undefined)
})
