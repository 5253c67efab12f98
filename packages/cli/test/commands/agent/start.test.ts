import { createRedaction } from '@lswap/core'
import { AGENT_HEADERS } from '@lswap/core/protocol'
import { scratch } from '@lswap/core/test-support'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startAgent } from '../../../src/commands/agent/start.ts'
import { watchedHeap } from '../../heap/watched.ts'
import { config, model } from '../../router/support/config.ts'
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

t.test('a reload tells routers which models start otherwise from now on', async (t) => {
  const stateDir = scratch(t)
  const files = [config([model('a'), model('b')]), config([model('a', { cmd: 'another' }), model('b', { idleMs: 7 })])]
  const [first, next] = files
  if (first === undefined || next === undefined) throw new Error('two')
  const urls: string[] = []
  const agent = await startAgent({
    heap: watchedHeap(),
    config: first,
    listen: { host: '127.0.0.1', port: 0 },
    tls: undefined,
    insecure: false,
    tokenFile: undefined,
    stateDir,
    env: {},
    log: recordingLog(),
    redaction: createRedaction(),
    readConfig: async () => ({ ok: true, config: next, warnings: [] }),
    onConfig: () => {},
    onListening: (bound) => urls.push(...bound),
  })
  t.teardown(() => agent.destroy())
  const token = (await readFile(join(stateDir, 'agent.token'), 'utf8')).trim()
  const leave = new AbortController()
  const { body } = await fetch(`${urls[0]}/v1/events`, {
    headers: { [AGENT_HEADERS.token]: token },
    signal: leave.signal,
  })
  await agent.reload()
  let text = ''
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString()
    if (text.includes('"changed"') && text.endsWith('\n')) break
  }
  leave.abort()
  const told = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { type: string }]))
  t.match(
    told.find(({ type }) => type === 'changed'),
    { models: ['a'] },
  )
})
