import { AGENT_HEADERS } from '@lswap/core/protocol'
import t from 'tap'
import { createForwards } from '../../src/client/forwards.ts'
import { createUpstream } from '../../src/forward/upstream.ts'
import { startEngine } from '../forward/support/engine.ts'
import { createRecorder } from '../forward/support/recorder.ts'
import { get } from '../forward/support/requests.ts'
import { breath } from './support/gate.ts'
import { until } from './support/host.ts'

t.test('what an agent refuses is told once the event before it was, and not sooner', async (t) => {
  const agent = await startEngine(t)
  const asked: number[] = []
  const told = createRecorder()
  let reach: (() => void) | undefined
  const forwards = createForwards({
    connect: () => createUpstream({ host: '127.0.0.1', port: agent.port }),
    onHeard: () => {},
    onBroken: async () => {},
    reached: (event) =>
      new Promise((resolve) => {
        asked.push(event)
        reach = resolve
      }),
    failure: () => undefined,
    left: () => {},
  })
  forwards.forward(get('/'), told)
  const wire = await agent.wire(1)
  await wire.request()
  const failure = encodeURIComponent(JSON.stringify({ code: 'upstream_unreachable', message: 'gone' }))
  wire.send(
    `HTTP/1.1 502 Bad\r\n${AGENT_HEADERS.failure}: ${failure}\r\n${AGENT_HEADERS.event}: 7\r\nContent-Length: 0\r\n\r\n`,
  )
  const go = await until('the event is waited for', () => reach)
  await breath()
  t.same(asked, [7])
  t.same(told.events, [])
  go()
  await told.over()
  t.match(told.failures[0], { answered: false, failure: { code: 'upstream_unreachable', message: 'gone' } })
  forwards.close({ code: 'shutting_down', message: 'over' })
})
