import t from 'tap'
import { DEFAULT_SERIAL, hostId } from '../../src/index.ts'
import { model, Rig } from '../schedule/rig.ts'
import type { RigOptions } from '../schedule/fixtures.ts'

const rigWith = (options: Partial<RigOptions> = {}): Rig => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id, { concurrencyLimit: 2 })), ...options })
  rig.hostUp('local', [{ model: 'A' }])
  return rig
}

const sentence = (rig: Rig, request: number): string | undefined =>
  rig.scheduler.explain(request as never, rig.now)?.sentence

t.test('draining tells how many still run and when they are cut at the latest', (t) => {
  const rig = rigWith()
  rig.ask('A')
  rig.ask('A')
  rig.ask('B')
  rig.pass(120_000)
  t.equal(sentence(rig, 3), 'draining A: 2 requests still run, cut in 480 s at the latest')
  rig.served(1)
  t.equal(sentence(rig, 3), 'draining A: 1 request still runs, cut in 480 s at the latest')
  t.end()
})

t.test('draining without a limit promises none', (t) => {
  const rig = rigWith({ limits: { drainTimeoutMs: 'never' } })
  rig.ask('A')
  rig.ask('B')
  t.equal(sentence(rig, 2), 'draining A: 1 request still runs')
  t.end()
})

t.test('loading tells since when, and how long it usually takes', (t) => {
  const rig = rigWith()
  rig.ask('B')
  rig.pass(3_000)
  t.equal(sentence(rig, 1), 'loading B since 3 s, never measured before')
  rig.ready(1, { loadMs: 12_000 })
  rig.served(1)
  rig.ask('A')
  rig.ready(2)
  rig.served(2)
  rig.ask('B')
  rig.pass(400)
  t.equal(sentence(rig, 3), 'loading B since 0.4 s, usually 12 s')
  t.end()
})

t.test('slots full, a swap of others, and a stop', (t) => {
  const rig = rigWith()
  for (let count = 0; count < 3; count += 1) rig.ask('A')
  t.equal(sentence(rig, 3), 'slots full: 2 of 2 of A')
  rig.cancel(3)
  rig.served(1)
  rig.served(2)
  rig.ask('B')
  rig.ask('C')
  rig.pass(2_000)
  t.equal(sentence(rig, 5), 'a swap to B runs since 2 s, never measured before')
  rig.ready(1)
  rig.unload(['B'])
  rig.ask('B')
  t.equal(sentence(rig, 6), 'stopping B first: 1 request still runs, cut in 600 s at the latest')
  t.end()
})

t.test('held: for whom, and how urgent that one is', (t) => {
  const rig = rigWith({ policy: DEFAULT_SERIAL })
  rig.ask('A')
  rig.ask('B', { priority: 5 })
  rig.ask('A')
  t.equal(sentence(rig, 3), 'held for request 2 (priority 5)')
  t.end()
})

t.test('residency and cooldown tell how long it still lasts', (t) => {
  const rig = rigWith({ policy: { ...DEFAULT_SERIAL, minResidencyMs: 30_000 } })
  rig.ask('A')
  rig.ask('A')
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  rig.pass(10_000)
  t.equal(sentence(rig, 4), 'A was loaded only just now and is wanted: it stays 20 s more')
  t.end()
})

t.test('stuck and unreachable say what is in the way; other hosts than the own have a name', (t) => {
  const rig = rigWith()
  rig.unload(['A'])
  rig.stopDone(1, ['A'])
  rig.ask('B')
  t.equal(sentence(rig, 1), 'A would not end and keeps its memory: A would not end')

  const far = new Rig({
    models: [model('A', { hosts: [hostId('gpu2')] }), model('B', { hosts: [hostId('gpu2')] })],
    hosts: ['gpu2'],
  })
  far.ask('A')
  t.equal(sentence(far, 1), 'loading A on gpu2 since 0 s, never measured before')
  far.hostDown('gpu2')
  far.failed(1, { failure: { code: 'host_unreachable', message: 'gone' } })
  t.equal(sentence(far, 1), 'no host that can be reached may run it')
  t.end()
})

t.test('cooldown', (t) => {
  const rig = rigWith()
  rig.ask('A')
  rig.pass(100)
  rig.crashed('A')
  rig.served(1, 'retry')
  t.equal(sentence(rig, 1), 'A failed and is left alone for a while: 1 s more')
  t.end()
})
