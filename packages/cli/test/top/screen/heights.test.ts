import t from 'tap'
import { PANELS } from '../../../src/top/panel/panel.ts'
import { shareHeight } from '../../../src/top/screen/heights.ts'

const WANTED = {
  hosts: { frame: 2, rows: 1 },
  models: { frame: 2, rows: 100 },
  queue: { frame: 2, rows: 500 },
  events: { frame: 1, rows: 40 },
}

t.test('all have their least where there is room, and the one in focus gets most of the rest', (t) => {
  const at = shareHeight(WANTED, { height: 21, focus: 'queue', names: PANELS })
  t.equal(at.hosts, 1)
  t.ok((at.queue ?? 0) > (at.models ?? 0))
  t.ok((at.models ?? 0) >= 3)
  const sum = Object.values(at).reduce<number>((total, rows) => total + (rows ?? 0), 0)
  t.equal(sum + 7, 21)
  t.end()
})

t.test('where there is little, the one in focus is left', (t) => {
  for (const focus of ['hosts', 'models', 'queue', 'events'] as const) {
    const at = shareHeight(WANTED, { height: 4, focus, names: PANELS })
    t.type(at[focus], 'number')
    const others = Object.entries(at).filter(([name, rows]) => name !== focus && rows !== undefined)
    t.same(others, [], focus)
  }
  t.end()
})
