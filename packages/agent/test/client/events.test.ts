import type { AgentFeedEvent } from '@lswap/core/protocol'
import t from 'tap'
import { createEvents } from '../../src/client/events.ts'
import type { ForwardTimers } from '../../src/forward/timers.ts'

const at = 1
const hello = (number: number, start = 's') => ({ type: 'hello', start, number, isGap: false })
const event = (number: number) => ({ number, at, type: 'changed' })

/** At once. */
const timers: ForwardTimers = {
  now: () => 0,
  after: (_ms, run) => {
    const timer = setImmediate(run)
    return () => clearImmediate(timer)
  },
}

/** What is told when the agent's streams say this, one after the other. */
const toldBy = async (...streams: readonly (readonly object[])[]) => {
  const paths: string[] = []
  const told: AgentFeedEvent[] = []
  let left = [...streams]
  await new Promise<void>((resolve) => {
    const events = createEvents({
      rpc: {
        stream: async function* ({ path }: { readonly path: string }) {
          paths.push(path)
          const [lines = [], ...others] = left
          left = others
          for (const line of lines) yield `${JSON.stringify(line)}\n`
          if (others.length === 0) resolve()
        },
      } as never,
      timers,
      start: () => 's',
      onEvent: (one) => told.push(one),
      onBroken: async () => {},
      isWanted: () => left.length > 0,
    })
    events.begin(0)
    events.open()
  })
  const numbers = told.flatMap((one) => (one.type === 'changed' ? [one.number] : []))
  return { numbers, paths }
}

t.test('an event that comes twice is told once', async (t) => {
  const { numbers } = await toldBy([hello(0), event(1), event(1), hello(0), event(2), event(1), event(3)])
  t.same(numbers, [1, 2, 3])
})

t.test('an event that overtook another is told behind it', async (t) => {
  const { numbers, paths } = await toldBy(
    [hello(0), event(1), event(3), event(2)],
    [hello(1), event(2), event(3), event(3)],
  )
  t.same(numbers, [1, 2, 3])
  t.same(paths, ['/v1/events?start=s&after=0', '/v1/events?start=s&after=1'])
})
