import assert from 'node:assert/strict'
import { placementKey, type CallerId, type Request } from '../../../src/index.ts'
import type { Subject } from './subject.ts'
import type { Watch } from './watch.ts'

/** A start that failed keeps its model from evicting anybody for at least a second, unless it is another one since. */
const brokenModelsRest: Watch = (world, event, commands) => {
  const { agents, brokenUntil, clock, seen } = world
  if (event.type !== 'swap-done' || event.result.outcome !== 'failed') return
  const { code } = event.result.failure
  if (code === 'out_of_memory') seen.add('out of memory')
  if (code === 'stop_failed') seen.add('stuck')
  const swap = agents.swapOf(event.generation)
  if (code === 'stop_failed' || code === 'host_unreachable' || swap === undefined) return
  if (world.startedAs.get(event.generation) !== world.policyOf(swap.model)?.commandHash) return
  const isTriedAgain = commands.some(
    (command) => command.type === 'start-swap' && command.swap.model === swap.model && command.swap.host === swap.host,
  )
  if (!isTriedAgain && agents.hosts.get(swap.host)?.up === true) brokenUntil.set(placementKey(swap), clock.now + 1_000)
}

/** Nobody loads in vain: a load that was not given up serves somebody before anything else can happen to it. */
const everyLoadServes: Watch = ({ agents, requests, subject }, event, commands) => {
  if (event.type !== 'swap-done' || event.result.outcome !== 'ready') return
  const swap = agents.swapOf(event.generation)
  const process = swap === undefined ? undefined : agents.processAt(swap)
  if (swap === undefined || swap.aborted || process?.phase !== 'ready') return
  const isServed = commands.some((command) => command.type === 'grant' && command.placement.model === swap.model)
  const waiting = requests.waitingFor(swap.model).filter(({ request }) => !isParked(subject, request))
  assert.ok(isServed || waiting.length === 0, `the load of ${placementKey(swap)} serves nobody`)
}

/** Every wait that ends has a cause from its first moment on, and a served request is not blocked. */
const causesCoverWaits: Watch = ({ subject }, _event, commands) => {
  for (const command of commands) {
    if (command.type !== 'grant' && command.type !== 'reject') continue
    const steps = subject.scheduler.timelineOf(command.request)?.steps ?? []
    let waitsSince: number | undefined
    for (const [place, step] of steps.entries()) {
      assert.ok(step.at >= (steps[place - 1]?.at ?? 0), `the steps of ${command.request} are out of order`)
      if (step.type === 'queued' || step.type === 'requeued') waitsSince = step.at
      else if (step.type === 'blocked') {
        assert.ok(waitsSince !== undefined, `${command.request} is blocked while it is served`)
      } else if (step.type === 'granted' || step.type === 'rejected') {
        const from: number | undefined = waitsSince
        const isCovered = from === step.at || steps.some(({ type, at }) => type === 'blocked' && at === from)
        assert.ok(from === undefined || isCovered, `${command.request} waited from ${from} without a cause`)
        waitsSince = undefined
      }
    }
  }
}

/** The scheduler counts what is true, and nobody waits beyond the limit. */
const countsAreTrue: Watch = (world) => {
  const { agents, clock, options, requests, subject } = world
  for (const { placements } of world.view().models.values()) {
    for (const { placement, phase, epoch, slots = 0, inFlight, holding } of placements) {
      const name = placementKey(placement)
      assert.ok(inFlight >= 0 && holding >= 0, `a count of ${name} is negative`)
      if (phase !== 'ready' && phase !== 'stopping') continue
      const process = agents.processAt(placement)
      const most = Math.max(slots, process !== undefined && process.epoch === epoch ? process.mostSlots : 0)
      assert.ok(phase === 'stopping' || inFlight <= most, `${name} serves ${inFlight} with ${slots} slots`)
      if (process === undefined || process.epoch !== epoch) continue
      const served = requests.servedBy(process)
      assert.equal(inFlight, served.filter(({ request }) => request.takesSlot).length, `requests in flight at ${name}`)
      const holders = served.filter(({ request }) => !request.takesSlot && request.passive !== true)
      assert.equal(holding, holders.length, `holders of ${name}`)
    }
  }
  const { queueTimeoutMs } = options.limits
  // One that is queued again beyond its limit ends with the tick that is due now.
  if ((subject.scheduler.nextTick() ?? Infinity) <= clock.now) return
  for (const { request, receivedAt } of requests.waiting()) {
    assert.ok(clock.now <= receivedAt + queueTimeoutMs, `request ${request.id} waits beyond its limit`)
  }
}

/** No caller has more under way than it may, and none of its requests waits outside the order while it has room. */
const callersKeepLimits: Watch = ({ requests, seen, subject }) => {
  const parked = requests.waiting().filter(({ request }) => isParked(subject, request))
  if (parked.length > 0) seen.add('caller at its limit')
  const active = new Map<CallerId, number>()
  for (const { request, state } of requests.all()) {
    if (state === 'ended' || isParked(subject, request) || (request.passive && state === 'granted')) continue
    const count = (active.get(request.caller) ?? 0) + 1
    active.set(request.caller, count)
    assert.ok(count <= (request.callerLimit ?? Infinity), `${request.caller} has ${count} requests under way`)
  }
  for (const { request } of parked) {
    assert.equal(active.get(request.caller), request.callerLimit, `request ${request.id} is parked, and need not be`)
  }
}

const isParked = ({ scheduler }: Subject, { id }: Request): boolean => scheduler.causeOf(id)?.type === 'caller-cap'

/** What only looks is served at once where its model is ready, and ends when that is told to stop. */
const passiveOnesPass: Watch = (world, event, commands) => {
  const { requests, seen } = world
  const placements = [...world.view().models.values()].flatMap((model) => model.placements)
  if (event.type === 'request-received' && event.request.passive === true) {
    const { id, model } = event.request
    const isReady = placements.some(({ placement, phase }) => placement.model === model && phase === 'ready')
    const isGranted = commands.some((command) => command.type === 'grant' && command.request === id)
    assert.ok(isGranted || !isReady, `request ${id} only looks, and does not get at the ready ${model}`)
  }
  for (const { request, servedBy, isClosed } of requests.all()) {
    if (request.passive !== true || servedBy === undefined) continue
    const at = placements.find(({ placement }) => placementKey(placement) === placementKey(servedBy))
    if (isClosed) seen.add('closed')
    if (at?.phase === 'stopping' && at.epoch === servedBy.epoch) {
      assert.ok(isClosed, `request ${request.id} only looks, and keeps ${placementKey(servedBy)} from stopping`)
    }
  }
}

/** What holds under every scheduler. */
export const COMMON: readonly Watch[] = [
  countsAreTrue,
  brokenModelsRest,
  everyLoadServes,
  causesCoverWaits,
  callersKeepLimits,
  passiveOnesPass,
]
