import { createLogRing } from '@lswap/agent'
import { createRedaction } from '@lswap/core'
import t from 'tap'
import { startRouter } from '../../../src/commands/serve/start.ts'
import { systemClock } from '../../../src/router/clock.ts'
import { watchedHeap } from '../../heap/watched.ts'
import { config } from '../../router/support/config.ts'
import { recordingLog } from '../../router/support/log.ts'

for (const end of ['close', 'destroy'] as const) {
  t.test(`memory is given back by what the router does, until its ${end}`, async (t) => {
    const heap = watchedHeap()
    const settings = config([], { embeddedAgent: false })
    const router = await startRouter({
      clock: systemClock(),
      heap,
      config: settings,
      listen: { host: '127.0.0.1', port: 0 },
      insecure: false,
      tls: undefined,
      stateDir: undefined,
      log: recordingLog(),
      redaction: createRedaction(),
      readConfig: async () => ({ ok: true, config: settings, warnings: [] }),
      onConfig: () => {},
      ownLog: { ring: createLogRing(1), shape: async () => (line) => line },
      engines: { show: () => {} },
      onListening: () => {},
    })
    t.teardown(() => router.destroy())
    t.same(
      [...heap.watched].map((activity) => activity()),
      [router.activity()],
    )
    await router[end]()
    t.equal(heap.watched.size, 0)
  })
}
