import assert from 'node:assert/strict'
import {
  ANONYMOUS,
  type Command,
  type HostId,
  type Placement,
  type RequestId,
  type SerialSettings,
} from '../../../src/index.ts'
import { isInTheWay } from './check-command.ts'
import { TIMINGS } from './orders.ts'
import type { Asked } from './requests.ts'
import type { Watch } from './watch.ts'
import type { World } from './world.ts'

/** Causes under which a request needs something that others could take from it. */
const NEEDING = new Set(['draining', 'swap-running', 'held-for', 'stopping', 'slots-full'])

/** Scores are sums of fractions. */
const SLACK = 1e-9

/**
 * The starvation bound: nobody goes before a request on its model, or on a model that must stop for it, who counts as
 * arrived more than (difference of priorities + what a swap costs) × agingSeconds later. Made for one world.
 */
export const serialOrder = (): Watch => {
  const arrivals = new Map<RequestId, number>()
  // Who needed what when the event came; what it does may change the reason of a wait.
  let needing: ReadonlySet<RequestId> = new Set()
  let parked: ReadonlySet<RequestId> = new Set()
  return (world, event, commands) => {
    if (event.type === 'request-received') noteArrival(world, arrivals, event.request.id)
    const waiting = waitingIn(world, arrivals)
    const line = waiting.filter(({ cause }) => cause !== 'caller-cap')
    // Who was let into the order by what happened may have been let in last.
    const inside = line.filter(({ asked: { request } }) => !parked.has(request.id))
    parked = new Set(waiting.filter(({ cause }) => cause === 'caller-cap').map(({ asked }) => asked.request.id))
    const needed = needing
    needing = new Set(line.filter(({ cause }) => NEEDING.has(cause ?? '')).map(({ asked }) => asked.request.id))
    const kept = line.filter(({ asked: { request } }) => needed.has(request.id) && needing.has(request.id))
    if (line.some(({ cause }) => cause === 'draining') && line.some(({ cause }) => cause === 'held-for')) {
      world.seen.add('hold')
    }
    // Past somebody who waits
    if (settingsOf(world).backfill && line.length > 0 && commands.some(({ type }) => type === 'grant'))
      noteBackfill(world)
    for (const command of commands) {
      if (command.type === 'grant' && !isLeased(world, command.placement)) {
        const granted = placed(world, arrivals, world.requests.get(command.request))
        // What only looks goes before nobody.
        if (granted.asked.request.passive === true) continue
        for (const first of inside)
          if (first.asked.request.model === granted.asked.request.model) checkInside(first, granted)
        for (const first of kept) checkGrant(world, first, { granted, placement: command.placement })
      } else if (command.type === 'start-swap' && !isLeased(world, command.swap)) {
        const mover = best(line.filter(({ asked }) => asked.request.model === command.swap.model))
        if (mover !== undefined) for (const first of kept) checkSwap(world, first, { mover, command })
      }
    }
  }
}

/** A request with what decides about its place. */
interface Placed {
  readonly asked: Asked
  readonly rank: number
  readonly countsFrom: number
  readonly cause: string | undefined
}

const settingsOf = ({ options: { policy } }: World): SerialSettings => {
  assert.ok(policy.use === 'serial')
  return policy
}

/** The scheduler says when a request counts as arrived; the order must follow from that. */
const noteArrival = (world: World, arrivals: Map<RequestId, number>, id: RequestId): void => {
  const { receivedAt, request } = world.requests.get(id)
  arrivals.set(id, receivedAt)
  if (request.caller === ANONYMOUS || !settingsOf(world).fairShare) return
  const { waiters, granted } = world.subject.scheduler.snapshot() as Saved
  const saved = [...waiters, ...granted.map(({ waiter }) => waiter)].find((waiter) => waiter.request.id === id)
  if (saved === undefined) return
  assert.ok(saved.countsFrom >= receivedAt, `request ${id} counts as arrived before it did`)
  arrivals.set(id, saved.countsFrom)
}

interface SavedWaiter {
  readonly request: { readonly id: RequestId }
  readonly countsFrom: number
}

interface Saved {
  readonly waiters: readonly SavedWaiter[]
  readonly granted: readonly { readonly waiter: SavedWaiter; readonly backfilled: boolean }[]
}

const noteBackfill = ({ seen, subject }: World): void => {
  // A snapshot is the whole state as JSON, and once is enough
  if (seen.has('backfill')) return
  const { granted } = subject.scheduler.snapshot() as Saved
  if (granted.some(({ backfilled }) => backfilled)) seen.add('backfill')
}

const placed = (world: World, arrivals: ReadonlyMap<RequestId, number>, asked: Asked): Placed => {
  const { id, priority } = asked.request
  const { agingSeconds } = settingsOf(world)
  const countsFrom = arrivals.get(id) ?? asked.receivedAt
  const rank = agingSeconds === 0 ? priority : priority - countsFrom / 1000 / agingSeconds
  return { asked, rank, countsFrom, cause: world.subject.scheduler.causeOf(id)?.type }
}

const waitingIn = (world: World, arrivals: ReadonlyMap<RequestId, number>): Placed[] =>
  world.requests.waiting().map((asked) => placed(world, arrivals, asked))

const best = (line: readonly Placed[]): Placed | undefined =>
  line.reduce<Placed | undefined>(
    (first, other) => (first === undefined || other.rank > first.rank ? other : first),
    undefined,
  )

/** The most that a swap may cost: loads take the same time in every world. */
const mostCost = (world: World): number => {
  const { agingSeconds, swapAffinity } = settingsOf(world)
  if (swapAffinity !== 'auto') return swapAffinity
  return Math.min(Math.max(TIMINGS.loadMs / 1000 / (agingSeconds === 0 ? 10 : agingSeconds), 1), 12)
}

const isLeased = ({ answeredLoad }: World, { model, host }: Placement): boolean =>
  answeredLoad?.model === model && answeredLoad.host === host

/** Its host, where there is no choice. */
const onlyHostOf = (world: World, { asked }: Placed): HostId | undefined => {
  const hosts = world.policyOf(asked.request.model)?.hosts ?? []
  return hosts.length === 1 ? hosts[0] : undefined
}

const isAlive = ({ agents }: World, placement: Placement): boolean =>
  agents.processAt(placement) !== undefined || agents.loadOf(placement.model, placement.host) !== undefined

interface Grant {
  readonly granted: Placed
  readonly placement: Placement
}

const checkGrant = (world: World, first: Placed, { granted, placement }: Grant): void => {
  const { request } = first.asked
  const host = onlyHostOf(world, first)
  if (request.model === placement.model || host !== placement.host) return
  const need = { model: request.model, host }
  if (isAlive(world, need) || !isInTheWay(world, need, placement.model)) return
  if (granted.rank >= first.rank - mostCost(world) - SLACK) return
  assert.ok(settingsOf(world).backfill && granted.asked.request.takesSlot, nameOf(granted, first))
}

/** Inside a model the order is exact. */
const checkInside = (first: Placed, granted: Placed): void => {
  if (first.asked.request.takesSlot !== granted.asked.request.takesSlot) return
  const lead = first.rank - granted.rank
  const isFirst =
    lead === 0
      ? first.countsFrom < granted.countsFrom ||
        (first.countsFrom === granted.countsFrom && first.asked.request.id < granted.asked.request.id)
      : lead > SLACK
  assert.ok(!isFirst, nameOf(granted, first))
}

const nameOf = (granted: Placed, first: Placed): string =>
  `${granted.asked.request.id} of ${granted.asked.request.model} (${granted.rank}) is granted before ${first.asked.request.id} of ${first.asked.request.model} (${first.rank})`

interface Start {
  readonly mover: Placed
  readonly command: Extract<Command, { type: 'start-swap' }>
}

/** Nor does a swap take what a better one waits for. */
const checkSwap = (world: World, first: Placed, { mover, command: { swap } }: Start): void => {
  const { model } = first.asked.request
  const host = onlyHostOf(world, first)
  if (model === swap.model || host !== swap.host) return
  if (mover.rank >= first.rank - mostCost(world) - SLACK) return
  const name = `${mover.asked.request.id} swaps in ${swap.model} before ${first.asked.request.id} of ${model}`
  assert.ok(!swap.evict.includes(model), `${name}: evicts its model`)
  if (isAlive(world, { model, host })) return
  assert.ok(!isInTheWay(world, { model, host }, swap.model), `${name}: comes in its way`)
  for (const victim of swap.evict) assert.ok(!isInTheWay(world, { model, host }, victim), `${name}: takes ${victim}`)
}
