import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import t from 'tap'
import { RequestBody } from '../../../src/router/body/body.ts'
import { createBodyMemory } from '../../../src/router/body/memory.ts'
import { DEFAULT_ROUTER_LIMITS } from '../../../src/router/limits.ts'
import { until } from '../support/ask.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const KIB = 1024

t.test('a client that was held back has all its time to go on', async (t) => {
  const clock = createVirtualClock()
  const client = new Readable({ read: () => {} })
  const failures: string[] = []
  let isReady = false
  const body = new RequestBody(
    {
      req: client as IncomingMessage,
      length: undefined,
      most: { name: 'maxBodyBytes', bytes: 1e9 },
      memory: createBodyMemory(() => 1e9),
      // No room to read on
      disk: createBodyMemory(() => 0),
      limits: { ...DEFAULT_ROUTER_LIMITS, heldBodyBytes: 64 * KIB },
      clock,
    },
    {
      chunk: () => {},
      ready: () => {
        isReady = true
      },
      failed: ({ message }) => failures.push(message),
    },
  )
  t.teardown(() => body.close())
  body.limit()
  client.push(Buffer.alloc(64 * KIB))
  await until('it can be forwarded', () => isReady)
  const rest = body.openRest((chunk) => [chunk])
  client.push(Buffer.alloc(256 * KIB))
  await until('it is held back', () => client.isPaused())
  await clock.advance(119_000)
  t.same(failures, [], 'it is us who do not read')
  rest?.resume()
  await until('it is read again', () => !client.isPaused())
  await clock.advance(59_000)
  t.same(failures, [])
  await clock.advance(1_500)
  t.same(failures, ['The body stalled for 60 s.'])
})
