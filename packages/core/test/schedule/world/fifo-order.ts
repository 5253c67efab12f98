import assert from 'node:assert/strict'
import type { CallerId, Command, Placement, RequestId, SchedulerOptions } from '../../../src/index.ts'
import { isInTheWay } from './check-command.ts'
import type { Asked } from './requests.ts'
import type { Watch } from './watch.ts'
import type { World } from './world.ts'

/** Causes under which an overdue request needs something that others could take from it. */
const NEEDING = new Set(['draining', 'swap-running', 'held-for', 'stopping', 'slots-full'])

/** FIFO's fairness bound, and its order inside a model. Made for one world. */
export const fifoOrder = (): Watch => {
  let parked: ReadonlySet<RequestId> = new Set()
  return (world, _event, commands) => {
    const waiting = world.requests.waiting()
    const line = waiting.filter((asked) => causeOf(world, asked) !== 'caller-cap')
    const overdue = line.filter((asked) => isOverdue(world, asked))
    const wasParked = parked
    parked = new Set(waiting.filter((asked) => !line.includes(asked)).map(({ request }) => request.id))
    if (overdue.length > 0) world.seen.add('overdue')
    if (overdue.length > 0 && line.some((asked) => causeOf(world, asked) === 'held-for')) world.seen.add('held')
    for (const [place, command] of commands.entries()) {
      const ended = callersEndedBy(world, commands.slice(place + 1))
      const isInLine = ({ request }: Asked): boolean => !wasParked.has(request.id) || !ended.has(request.caller)
      if (command.type === 'grant') {
        // Those that a load was started for are served when it is ready.
        if (isLeased(world, command.placement)) continue
        const asked = world.requests.get(command.request)
        // What only looks goes before nobody.
        if (asked.request.passive === true) continue
        checkPlace(world, asked, line.filter(isInLine))
        for (const first of overdue)
          if (isInLine(first)) checkGrant(world, first, { asked, placement: command.placement })
      } else if (command.type === 'start-swap' && !isLeased(world, command.swap)) {
        // A second try after the engine ran out of memory is still the same load.
        const asked = world.requests.waitingFor(command.swap.model).at(0)
        if (asked === undefined) continue
        for (const first of overdue) if (isInLine(first)) checkSwap(world, first, { asked, command })
      }
    }
  }
}

/** A caller of whose requests one is refused, or only looks from now on, may be let in with another one only after that. */
const callersEndedBy = (world: World, commands: readonly Command[]): ReadonlySet<CallerId> =>
  new Set(
    commands
      .filter((command) => command.type === 'reject' || command.type === 'grant')
      .map(({ type, request }) => ({ type, asked: world.requests.get(request).request }))
      .filter(({ type, asked }) => type === 'reject' || asked.passive === true)
      .map(({ asked }) => asked.caller),
  )

const fairAfterMs = ({ policy }: SchedulerOptions): number => (policy.use === 'fifo' ? policy.fairAfterMs : Infinity)

/** From the tick after its limit on: that tick is when the scheduler looks. */
const isOverdue = ({ clock, options }: World, { receivedAt }: Asked): boolean =>
  clock.now > receivedAt + fairAfterMs(options)

const causeOf = ({ subject }: World, { request }: Asked): string | undefined =>
  subject.scheduler.causeOf(request.id)?.type

const isLeased = ({ answeredLoad }: World, { model, host }: Placement): boolean =>
  answeredLoad?.model === model && answeredLoad.host === host

/** Nobody of the same model who waits on was to go first. */
const checkPlace = (world: World, { request, ...asked }: Asked, waiting: readonly Asked[]): void => {
  if (world.clock.now >= asked.receivedAt + fairAfterMs(world.options)) return
  for (const other of waiting) {
    const { id, model, takesSlot, priority } = other.request
    if (model !== request.model || takesSlot !== request.takesSlot) continue
    const isFirst = priority > request.priority || (priority === request.priority && id < request.id)
    assert.ok(!isFirst, `${request.id} is granted before ${id} of the same model`)
  }
}

/** Its one host, when there is no choice, and it could start there. */
const needOf = (world: World, first: Asked): Placement | undefined => {
  const { model, id } = first.request
  const cause = world.subject.scheduler.causeOf(id)
  if (cause === undefined || !NEEDING.has(cause.type)) return undefined
  const hosts = world.policyOf(model)?.hosts ?? []
  const [host, another] = hosts
  if (host === undefined || another !== undefined) return undefined
  return { model, host }
}

interface Grant {
  readonly asked: Asked
  readonly placement: Placement
}

const checkGrant = (world: World, first: Asked, { asked, placement }: Grant): void => {
  if (asked.request.id < first.request.id) return
  const need = needOf(world, first)
  if (need === undefined || need.host !== placement.host) return
  const name = `${asked.request.id} is granted ${placement.model} over the overdue ${first.request.id}`
  if (need.model === placement.model) {
    const isRival = asked.request.takesSlot && first.request.takesSlot
    assert.ok(!isRival, name)
  } else assert.ok(isServed(world, need) || !isInTheWay(world, need, placement.model), name)
}

/** It waits for a slot only: nothing has to go. */
const isServed = (world: World, need: Placement): boolean => world.agents.processAt(need)?.phase === 'ready'

interface Start {
  readonly asked: Asked
  readonly command: Extract<Command, { type: 'start-swap' }>
}

const checkSwap = (world: World, first: Asked, { asked, command: { swap } }: Start): void => {
  if (asked.request.id < first.request.id || asked.request.model === first.request.model) return
  const need = needOf(world, first)
  if (need === undefined || need.host !== swap.host) return
  const name = `${asked.request.id} swaps in ${swap.model} over the overdue ${first.request.id}`
  assert.ok(!swap.evict.includes(need.model), name)
  if (isServed(world, need)) return
  assert.ok(!isInTheWay(world, need, swap.model), name)
  for (const model of swap.evict) assert.ok(!isInTheWay(world, need, model), name)
}
