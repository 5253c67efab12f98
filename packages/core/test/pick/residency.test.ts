import t from 'tap'
import { preferResident, residencyOf } from '../../src/pick/residency.ts'

t.test('ready is affinity, room is available, else a swap is needed', (t) => {
  t.equal(residencyOf({ isReady: true, fits: false }), 'affinity')
  t.equal(residencyOf({ isReady: false, fits: true }), 'available')
  t.equal(residencyOf({ isReady: false, fits: false }), 'neither')
  t.end()
})

t.test('a host where the model is ready beats one with room, and that one a swap', (t) => {
  const ready = { id: 'ready', isReady: true, fits: false }
  const room = { id: 'room', isReady: false, fits: true }
  const full = { id: 'full', isReady: false, fits: false }
  const other = { ...full, id: 'other' }
  t.same(preferResident([full, room, ready]), [ready])
  t.same(preferResident([full, room]), [room])
  t.same(preferResident([full, other]), [full, other])
  t.same(preferResident([]), [])
  t.end()
})
