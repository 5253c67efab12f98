import * as fc from 'fast-check'
import t from 'tap'
import { spansOf } from '../../src/index.ts'
import { model, Rig } from '../schedule/rig.ts'

type Act = { readonly type: 'ask' | 'serve' | 'load' | 'pass' | 'cancel' | 'crash'; readonly pick: number }

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    type: fc.constantFrom<Act['type']>('ask', 'ask', 'serve', 'load', 'pass', 'pass', 'cancel', 'crash'),
    pick: fc.nat(5_000),
  }),
  { minLength: 30, maxLength: 60 },
)

const MODELS = ['A', 'B', 'C']

/** What a rig can do next. Answers only what was ordered. */
const play = (rig: Rig, { type, pick }: Act): void => {
  const chosen = MODELS[pick % MODELS.length] ?? 'A'
  const granted = rig.commands.flatMap((command) => (command.type === 'grant' ? [command.request] : []))
  if (type === 'ask') rig.ask(chosen, { priority: (pick % 5) - 2 })
  else if (type === 'pass') rig.pass(pick)
  else if (type === 'cancel') rig.cancel(1 + (pick % rig.upcoming))
  else if (type === 'crash') rig.crashed(chosen)
  else if (type === 'serve' && granted.length > 0)
    rig.served(granted[pick % granted.length] ?? 0, pick % 7 === 0 ? 'retry' : 'done')
  else if (type === 'load') {
    for (const command of rig.commands.slice())
      if (command.type === 'start-swap') rig.ready(command.swap.generation, { loadMs: pick, stopMs: pick % 100 })
  }
}

t.test('spans have no gap, no overlap and no wait without a cause: they add up to the wall time', (t) => {
  let spansSeen = 0
  fc.assert(
    fc.property(acts, (script) => {
      const rig = new Rig({ models: MODELS.map((id) => model(id)) })
      for (const act of script) {
        play(rig, act)
        for (let request = 1; request < rig.upcoming; request += 1) {
          const timeline = rig.scheduler.timelineOf(request as never)
          if (timeline === undefined) continue
          const spans = spansOf(timeline, rig.now)
          const from = timeline.steps[0]?.at ?? 0
          const isOver = timeline.steps.some(({ type }) => type === 'rejected')
          const end = isOver ? (timeline.steps.at(-1)?.at ?? 0) : rig.now
          let at = from
          for (const span of spans) {
            if (span.from !== at || span.to <= span.from) throw new Error(`a gap or an overlap at ${at}`)
            if (span.type === 'queued') throw new Error(`no cause from ${span.from} to ${span.to}`)
            at = span.to
            spansSeen += 1
          }
          if (at !== Math.max(from, end)) throw new Error(`${at} instead of ${end}`)
        }
      }
    }),
    { numRuns: 100 },
  )
  t.ok(spansSeen > 1_000, `${spansSeen} spans`)
  t.end()
})
