import { createRedaction } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { startAgent } from '../../../src/commands/agent/start.ts'
import { watchedHeap } from '../../heap/watched.ts'
import { config } from '../../router/support/config.ts'
import { recordingLog } from '../../router/support/log.ts'

for (const end of ['close', 'destroy'] as const) {
  t.test(`memory is given back by what an agent forwards, until its ${end}`, async (t) => {
    const heap = watchedHeap()
    const settings = config([])
    const agent = await startAgent({
      heap,
      config: settings,
      listen: { host: '127.0.0.1', port: 0 },
      tls: undefined,
      insecure: false,
      tokenFile: undefined,
      stateDir: scratch(t),
      env: {},
      log: recordingLog(),
      redaction: createRedaction(),
      readConfig: async () => ({ ok: true, config: settings, warnings: [] }),
      onConfig: () => {},
      onListening: () => {},
    })
    t.teardown(() => agent.destroy())
    t.same(
      [...heap.watched].map((activity) => activity()),
      [{ isBusy: false, count: 0 }],
    )
    await agent[end]()
    t.equal(heap.watched.size, 0)
  })
}
