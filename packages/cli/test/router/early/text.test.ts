import { hostId, modelId, requestId, type QueueEntry, type WaitCause } from '@lswap/core'
import t from 'tap'
import { awaitedLoad, waitText } from '../../../src/router/early/text.ts'

const at = (model: string) => ({ host: hostId('local'), model: modelId(model) })

const entry = (cause: WaitCause | undefined, changes: Partial<QueueEntry> = {}): QueueEntry =>
  ({ model: modelId('a'), position: 2, cause, sentence: 'the reason', estimate: undefined, ...changes }) as QueueEntry

const loading: WaitCause = { type: 'loading', placement: at('a'), sinceMs: 0 }
const draining: WaitCause = { type: 'draining', models: [at('b')] }

const say = (cause: WaitCause | undefined, more: Partial<Parameters<typeof waitText>[0]> = {}): string =>
  waitText({ entry: entry(cause), progress: undefined, isRestricted: false, ...more }).text

t.test('who waits is told why, where it stands, and for how long yet', async (t) => {
  t.equal(say(draining), 'the reason, position 2 in the queue')
  t.equal(waitText({ entry: undefined, progress: undefined, isRestricted: false }).text, 'waiting for its turn')
  const estimate = { lowMs: 1, medianMs: 12_400, highMs: 99_000 }
  t.equal(say(loading, { entry: entry(loading, { estimate }) }), 'the reason, position 2 in the queue, about 12 s')
})

const far = (progress: Parameters<typeof waitText>[0]['progress'], isRestricted = false): string =>
  say(loading, { progress, isRestricted }).replace('the reason', '').replace(', position 2 in the queue', '')

t.test('how far a load is', async (t) => {
  t.equal(far({ type: 'stopping', models: [modelId('b'), modelId('c')] }), ' (stopping b, c)')
  t.equal(far({ type: 'stopping', models: [modelId('b'), modelId('c')] }, true), ' (making room)')
  t.equal(far({ type: 'waiting-memory' }), ' (waiting for memory)')
  t.equal(far({ type: 'spawned', pid: 1 }), '')
  t.equal(far({ type: 'loading' }), '')
  t.equal(far({ type: 'loading', fraction: 0.999 }), ' (90 %)')
  t.equal(far({ type: 'loading', fraction: 1 }), ' (100 %)')
})

t.test('what is about other models is not for keys that reach some only', async (t) => {
  const hidden = 'waiting for its turn, position 2 in the queue'
  const about: readonly (readonly [WaitCause, string])[] = [
    [loading, 'the reason, position 2 in the queue'],
    [draining, hidden],
    [{ type: 'held-for', request: requestId(1) }, hidden],
    [{ type: 'saturated', placements: [at('a')], reason: 'x' }, 'the reason, position 2 in the queue'],
    [{ type: 'stopping', placement: at('b') }, hidden],
    [{ type: 'no-host' }, 'the reason, position 2 in the queue'],
  ]
  for (const [cause, text] of about) t.equal(say(cause, { isRestricted: true }), text, cause.type)
})

t.test('only a load has progress', async (t) => {
  t.same(awaitedLoad(entry(loading)), at('a'))
  t.equal(awaitedLoad(entry(draining)), undefined)
  t.equal(awaitedLoad(entry(undefined)), undefined)
})
