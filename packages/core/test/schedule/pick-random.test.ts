import t from 'tap'
import { createPicker, modelId, requestId, restoreScheduler, type Command, type Scheduler } from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { fleetRig, hostsUpTo } from './fleet-fixtures.ts'
import { model, type Rig } from './rig.ts'

const HOSTS = hostsUpTo(8)
const picker: NonNullable<Parameters<typeof rigOptions>[0]['picker']> = (random) => createPicker({}, { random })
const options = rigOptions({
  models: [model('A', { hosts: HOSTS as never, concurrencyLimit: 50 })],
  picker,
})

const rigFrom = (seed?: number): Rig => {
  const rig = fleetRig({
    hosts: 8,
    models: ['A'],
    each: { concurrencyLimit: 50 },
    picker,
    ...(seed === undefined ? {} : { seed }),
  })
  for (const host of HOSTS) rig.hostUp(host, [{ model: 'A' }])
  return rig
}

const askOf = (scheduler: Scheduler, first: number, count: number): Command[] =>
  Array.from({ length: count }, (_, place) =>
    scheduler.onRequest({
      type: 'request-received',
      now: 1,
      request: {
        id: requestId(first + place),
        model: modelId('A'),
        priority: 0,
        criticality: 'critical',
        caller: 'anonymous' as never,
        takesSlot: true,
        noLoad: false,
      },
    }),
  ).flat()

const choices = (seed?: number): Command[] => askOf(rigFrom(seed).scheduler, 1, 40)

t.test('the same seed makes the same choices, another one others', async (t) => {
  t.same(choices(7), choices(7))
  t.not(JSON.stringify(choices(7)), JSON.stringify(choices(8)))
  t.same(choices(), choices(0), 'without one every run is the same')
})

t.test('a restored scheduler draws what the live one would have drawn', async (t) => {
  const { scheduler } = rigFrom(3)
  askOf(scheduler, 1, 13)
  const twin = restoreScheduler(options, JSON.parse(JSON.stringify(scheduler.snapshot())))
  t.same(askOf(twin, 14, 40), askOf(scheduler, 14, 40))
})

t.test('a dry run on a copy never draws from the live source', async (t) => {
  const live = rigFrom(3).scheduler
  const undisturbed = rigFrom(3).scheduler
  askOf(live, 1, 5)
  askOf(undisturbed, 1, 5)
  askOf(restoreScheduler(options, live.snapshot()), 6, 30)
  t.same(askOf(live, 6, 30), askOf(undisturbed, 6, 30))
})

t.test('a configuration that is read again goes on with the same numbers', async (t) => {
  const [reloaded, other] = [rigFrom(5).scheduler, rigFrom(5).scheduler]
  askOf(reloaded, 1, 5)
  askOf(other, 1, 5)
  reloaded.onConfig({ type: 'config-changed', now: 1, options })
  t.same(askOf(reloaded, 6, 30), askOf(other, 6, 30))
})

t.test('how a replica was chosen is kept with the grant, in a few words', async (t) => {
  const { scheduler } = rigFrom()
  askOf(scheduler, 1, 1)
  const granted = scheduler.timelineOf(requestId(1))?.steps.find(({ type }) => type === 'granted')
  t.match(granted, {
    reason: /the filter tree kept 8, chance took this one, of 8 ready replicas/,
    pick: [{ node: 'critical', in: 8, out: 8, kept: HOSTS }, { node: 'low-queue' }],
  })
  t.ok(JSON.stringify(granted).length < 1_000)
})

t.test('one replica is no choice, and leaves no trace', async (t) => {
  const rig = fleetRig({ hosts: 1, models: ['A'], picker })
  rig.hostUp('h1', [{ model: 'A' }])
  rig.ask('A')
  // At once, and by the queue, which decides on what takes no slot
  rig.ask('A', { takesSlot: false })
  for (const number of [1, 2]) {
    const granted = rig.scheduler.timelineOf(requestId(number))?.steps.find(({ type }) => type === 'granted')
    t.match(granted, { reason: /the filter tree kept this one of 1/ })
    t.notOk('pick' in (granted ?? {}))
  }
})
