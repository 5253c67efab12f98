import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { readLoadReport } from '../../src/process/load-report.ts'
import { model, namedFakeCommand } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const read = (line: string): ReturnType<typeof readLoadReport> => readLoadReport(Buffer.from(line))

t.test('reads how far a load is', async (t) => {
  const line = 'cmd_child_to_router:state:{"state":"loading","payload":{"stages":["text_model"],"value":0.5}}'
  t.same(read(line), { fraction: 0.5 })
  t.same(read('cmd_child_to_router:state:{"state":"ready","payload":{"value":0.5}}'), { fraction: undefined })
  for (const odd of ['null', '{"state":"loading"}', '{"state":"loading","payload":{"value":7}}', '{']) {
    t.same(read(`cmd_child_to_router:state:${odd}`), { fraction: undefined }, odd)
  }
  t.same(read('cmd_child_to_router:other'), { fraction: undefined })
  t.equal(read('srv load_model: loading model'), undefined)
})

t.test('an engine that reports so tells its progress, and is ended by closing its stdin', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: namedFakeCommand(scratch(t), '--load-ms 30 --ignore-sigterm') }))
  const fractions: number[] = []
  await rig.owner.ensureReady({
    signal: new AbortController().signal,
    onProgress: (progress) => {
      if (progress.type === 'loading' && progress.fraction !== undefined) fractions.push(progress.fraction)
    },
  })
  t.equal(fractions[0], 0)
  t.same(await rig.owner.ensureStopped({ drainMs: 0, failure: GONE }), { outcome: 'stopped' })
  t.match(rig.owner.view().lastExit, { code: 1, reason: 'stopped as asked' })
})
