import t from 'tap'
import { generation, LOCAL_HOST, modelId, requestId, spansOf, type Span, type TimelineStep } from '../../src/index.ts'
import { model, Rig } from '../schedule/rig.ts'

const told = (spans: readonly Span[]): string[] =>
  spans.map(
    (span) => `${span.from}-${span.to} ${span.type}${span.type === 'swap' ? `:${span.phase}` : ''} ${span.text}`,
  )

const A = { model: modelId('A'), host: LOCAL_HOST }
const spans = (steps: readonly TimelineStep[], now: number): readonly Span[] =>
  spansOf({ request: requestId(1), steps }, now)

t.test('a life from its arrival to its end, with the phases of the swap', (t) => {
  const rig = new Rig({ models: ['A', 'B'].map((id) => model(id)) })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  rig.pass(100)
  rig.served(1)
  rig.pass(50)
  rig.now = 150
  rig.ready(1, { stopMs: 10, loadMs: 35 })
  rig.pass(20)
  const timeline = rig.scheduler.timelineOf(requestId(2))
  const steps: TimelineStep[] = [...(timeline?.steps ?? []), { at: 165, type: 'first-byte' }, { at: 170, type: 'done' }]
  t.same(told(spans(steps, 9_999)), [
    '0-100 waiting draining A',
    '100-110 swap:stop stopping what had to make room for B',
    '110-150 swap:load loading B',
    '150-165 engine B until the first byte',
    '165-170 answer B answers',
  ])
  t.end()
})

t.test('what still goes on ends now', (t) => {
  const cause = { type: 'loading', placement: A, sinceMs: 10 } as const
  const steps: TimelineStep[] = [
    { at: 10, type: 'received' },
    { at: 10, type: 'queued', ahead: 0 },
    { at: 10, type: 'blocked', cause },
  ]
  t.same(told(spans(steps, 250)), ['10-250 waiting loading A'])
  t.same(told(spans(steps, 5)), [], 'a clock that is read late takes nothing back')
  t.end()
})

t.test('one who came in the middle of a swap sees only its rest', (t) => {
  const timings = { stopMs: 100, memoryMs: 50, loadMs: 850 }
  const steps: TimelineStep[] = [
    { at: 120, type: 'received' },
    { at: 120, type: 'blocked', cause: { type: 'loading', placement: A, sinceMs: 0 } },
    { at: 1_000, type: 'swap-ended', generation: generation(1), outcome: 'ready', timings },
    { at: 1_000, type: 'granted', placement: A, reason: 'it waited for this load' },
  ]
  t.same(told(spans(steps, 1_000)), [
    '120-150 swap:memory waiting for memory to load A',
    '150-1000 swap:load loading A',
  ])
  t.end()
})

t.test('an attempt that brought no answer is part of the life', (t) => {
  const steps: TimelineStep[] = [
    { at: 0, type: 'received' },
    { at: 0, type: 'granted', placement: A, reason: '' },
    { at: 40, type: 'requeued' },
    { at: 40, type: 'blocked', cause: { type: 'cooldown', placement: A, until: 90 } },
    { at: 90, type: 'granted', placement: A, reason: '' },
    { at: 95, type: 'first-byte' },
    { at: 99, type: 'cancelled' },
  ]
  t.same(told(spans(steps, 500)), [
    '0-40 engine A until the first byte',
    '40-90 waiting A failed and is left alone for a while',
    '90-95 engine A until the first byte',
    '95-99 answer A answers',
  ])
  t.end()
})
