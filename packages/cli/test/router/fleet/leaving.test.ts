import { hostId, modelId, type PlacementPhase, type SchedulerView } from '@lswap/core'
import t from 'tap'
import { createLeaving } from '../../../src/router/fleet/leaving.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const host = hostId('box')

const rigOf = () => {
  const clock = createVirtualClock()
  const released: string[] = []
  const state: { phase: PlacementPhase } = { phase: 'ready' }
  const view = (): Pick<SchedulerView, 'models'> => ({
    models: new Map([
      [
        'a',
        {
          waiting: 0,
          pinned: false,
          placements: [
            { placement: { host, model: modelId('a') }, phase: state.phase, sinceMs: 0, inFlight: 0, holding: 0 },
          ],
        },
      ],
    ]),
  })
  const leaving = createLeaving({ clock, view, release: (gone) => released.push(gone) })
  return { clock, released, state, leaving }
}

t.test('a host is let go of once nothing runs there any more, once', async (t) => {
  const { released, state, leaving } = rigOf()
  leaving.set([host], 1_000)
  leaving.look()
  t.same(released, [])
  state.phase = 'stopped'
  leaving.look()
  leaving.look()
  t.same(released, ['box'])
})

t.test('what does not end is not waited for beyond the limit; a host that comes back stays', async (t) => {
  const { clock, released, leaving } = rigOf()
  leaving.set([host], 1_000)
  leaving.set([], 1_000)
  await clock.advance(5_000)
  t.same(released, [], 'it came back')
  leaving.set([host], 1_000)
  await clock.advance(999)
  leaving.set([host], 1_000)
  t.same(released, [])
  await clock.advance(1)
  t.same(released, ['box'], 'its time goes on')
})
