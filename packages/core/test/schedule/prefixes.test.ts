import t from 'tap'
import { createPicker, requestId, restoreScheduler } from '../../src/index.ts'
import { rigOptions, type RigOptions } from './fixtures.ts'
import { fleetRig, hostsUpTo } from './fleet-fixtures.ts'
import { model, type Rig } from './rig.ts'

type Picker = NonNullable<RigOptions['picker']>

const byPrefix: Picker = (random) => createPicker({ use: 'prefix' }, { random })
const byTree: Picker = (random) => createPicker({ use: 'tree' }, { random })
const HOSTS = hostsUpTo(3)
const optionsWith = (picker: Picker): RigOptions => ({
  models: [model('A', { hosts: HOSTS as never, concurrencyLimit: 4 })],
  picker,
})

/** Three ready replicas with four slots each. */
const rig = (): Rig => {
  const made = fleetRig({ hosts: 3, models: ['A'], each: { concurrencyLimit: 4 }, picker: byPrefix })
  for (const host of HOSTS) made.hostUp(host, [{ model: 'A' }])
  return made
}

/** The first blocks of a conversation. */
const said = (name: number, blocks: number): number[] => Array.from({ length: blocks }, (_, at) => name * 1_000 + at)

const hostOf = (commands: readonly string[]): string => /h\d$/.exec(commands[0] ?? '')?.[0] ?? 'none'

/** Where a turn of a conversation is served. */
const turn = (of: Rig, prefix: number[]): string => {
  const number = of.upcoming
  const host = hostOf(of.ask('A', { prefix }))
  of.served(number)
  return host
}

/** Where a turn of each of twenty is served. */
const turns = (of: Rig): string[] => Array.from({ length: 20 }, (_, name) => turn(of, said(name, 4)))

/** Why the latest request was granted what it was. */
const reason = (of: Rig, prefix: number[]): string => {
  const number = of.upcoming
  of.ask('A', { prefix })
  const step = of.scheduler.timelineOf(requestId(number))?.steps.find(({ type }) => type === 'granted')
  of.served(number)
  return step?.type === 'granted' ? step.reason : ''
}

const HELD = /; it holds the first (\d+) of the prompt's/

t.test('a conversation that returns goes where it was, many spread over the replicas', async (t) => {
  const one = rig()
  const places = Array.from({ length: 30 }, (_, name) => turn(one, said(name, 2)))
  t.same([...new Set(places)].toSorted(), HOSTS)
  for (const [name, place] of places.entries()) t.equal(turn(one, said(name, 5)), place, `conversation ${name}`)
})

t.test('also while others are served there, up to the threshold', async (t) => {
  const one = rig()
  const home = turn(one, said(1, 2))
  t.same(
    [1, 2, 3].map((count) => hostOf(one.ask('A', { prefix: said(1, 2 + count) }))),
    [home, home, home],
  )
  t.not(turn(one, said(1, 6)), home, 'three of four slots against none')
})

t.test('explain says how much of it is held there', async (t) => {
  const one = rig()
  turn(one, said(1, 2))
  t.match(reason(one, said(1, 3)), /; it holds the first 2 of the prompt's 3 blocks$/)
  t.notMatch(reason(one, said(2, 3)), /holds/)
})

t.test('the only replica is known to hold what it was granted, too', async (t) => {
  const one = fleetRig({ hosts: 2, models: ['A'], each: { concurrencyLimit: 4 }, picker: byPrefix })
  one.hostUp('h1', [{ model: 'A' }])
  t.equal(turn(one, said(1, 2)), 'h1')
  one.hostUp('h2', [{ model: 'A' }])
  t.same(
    [3, 4, 5].map((blocks) => turn(one, said(1, blocks))),
    ['h1', 'h1', 'h1'],
  )
})

t.test('the next start of a process holds nothing', async (t) => {
  const one = rig()
  const home = turn(one, said(1, 2))
  t.match(reason(one, said(1, 3)), HELD)
  one.crashed('A', { host: home })
  one.hostUp(home, [{ model: 'A' }])
  t.notMatch(reason(one, said(1, 4)), HELD)
})

t.test('a host that was out of sight holds what it held, if it runs what it ran', async (t) => {
  const one = rig()
  const home = turn(one, said(1, 2))
  one.hostDown(home)
  one.hostUp(home, [{ model: 'A', sameAsBefore: true }])
  t.match(reason(one, said(1, 3)), HELD)
  one.hostDown(home)
  one.hostUp(home, [{ model: 'A' }])
  t.notMatch(reason(one, said(1, 4)), HELD)
})

t.test('a snapshot has what is held', async (t) => {
  const one = rig()
  for (let name = 0; name < 20; name += 1) turn(one, said(name, 3))
  const twin = restoreScheduler(rigOptions(optionsWith(byPrefix)), JSON.parse(JSON.stringify(one.scheduler.snapshot())))
  t.equal(JSON.stringify(twin.snapshot()), JSON.stringify(one.scheduler.snapshot()))
  const copy = fleetRig({ hosts: 0 })
  Object.assign(copy, { scheduler: twin, now: one.now })
  copy.upcoming = one.upcoming
  t.same(turns(copy), turns(one))
})

t.test('under another picker nothing is kept', async (t) => {
  const one = rig()
  turn(one, said(1, 2))
  one.reload(optionsWith(byTree))
  one.reload(optionsWith(byPrefix))
  t.notMatch(reason(one, said(1, 3)), HELD)
})

t.test('what is read again keeps what is held', async (t) => {
  const one = rig()
  turn(one, said(1, 2))
  one.reload(optionsWith(byPrefix))
  t.match(reason(one, said(1, 3)), HELD)
})
