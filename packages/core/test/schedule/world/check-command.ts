import assert from 'node:assert/strict'
import {
  placementKey,
  type Command,
  type ModelId,
  type Placement,
  type Resident,
  type Swap,
} from '../../../src/index.ts'
import type { World } from './world.ts'

/** What must be true in the world when a command is given, whatever the scheduler. */
export const checkCommand = (world: World, command: Command): void => {
  switch (command.type) {
    case 'grant':
      return checkGrant(world, command)
    case 'start-swap':
      return checkSwap(world, command)
    case 'reject':
      if (command.failure.code === 'out_of_memory') world.seen.add('out of memory')
      return undefined
    case 'close': {
      const { request, state } = world.requests.get(command.request)
      assert.ok(request.passive, `request ${command.request} is closed, and is not passive`)
      assert.equal(state, 'granted', `request ${command.request} is closed while ${state}`)
      return undefined
    }
    case 'stop':
      return checkStop(world, command)
    case 'abort-swap':
    case 'answer-unload':
      return undefined
    default:
      return command satisfies never
  }
}

/** A reload stops nothing that is as it was. */
const checkStop = (world: World, { reason, placements }: Extract<Command, { type: 'stop' }>): void => {
  if (reason === 'unload' || reason === 'idle') return
  for (const placement of placements) {
    const name: string = `stop of ${placementKey(placement)}, as it ${reason === 'removed' ? 'was removed' : 'changed'}`
    const policy = world.policyOf(placement.model)
    const isConfigured: boolean = policy?.hosts.includes(placement.host) === true
    assert.equal(isConfigured, reason === 'changed', name)
    const process = world.agents.processAt(placement)
    if (process?.phase === 'ready' && world.requests.servedBy(process).length > 0) world.seen.add(`${reason} in use`)
    if (reason === 'removed' || process?.phase !== 'ready') continue
    assert.notEqual(process.startedAs, policy?.processHash, `${name}: it did not`)
  }
}

const checkGrant = (world: World, { request: id, placement, epoch }: Extract<Command, { type: 'grant' }>): void => {
  const { request, attempts } = world.requests.get(id)
  const name = `grant ${id} of ${placementKey(placement)}`
  const process = world.agents.processAt(placement)
  assert.ok(world.agents.hosts.get(placement.host)?.up, `${name}: the host is gone`)
  assert.equal(process?.phase, 'ready', `${name}: no ready process`)
  assert.equal(process?.epoch, epoch, `${name}: another process`)
  assert.equal(request.model, placement.model, `${name}: another model`)
  assert.equal(process?.startedAs, world.policyOf(request.model)?.processHash, `${name}: it was started as another`)
  assert.ok(attempts < 2, `${name}: a third attempt`)
  if (attempts === 1) world.seen.add('retry')
  if (process === undefined || !request.takesSlot) return
  const taken = world.requests.servedBy(process).filter((other) => other.request.takesSlot).length
  assert.ok(taken < process.slots, `${name}: all ${process.slots} slots are taken`)
}

const checkSwap = (world: World, { swap, reason }: Extract<Command, { type: 'start-swap' }>): void => {
  const { agents, clock, requests } = world
  const name = `swap ${placementKey(swap)}`
  const host = agents.hosts.get(swap.host)
  assert.ok(host?.up, `${name}: the host is gone`)
  assert.ok(world.policyOf(swap.model)?.hosts.includes(swap.host), `${name}: not configured there`)
  assert.ok(!host.processes.has(swap.model), `${name}: a process lives there`)
  assert.equal(agents.loadOf(swap.model, swap.host), undefined, `${name}: it is loading already`)
  if (reason === 'restore') checkRestore(world, swap)
  else {
    assert.ok(
      requests.waitingFor(swap.model).some(({ request }) => !request.noLoad),
      `${name}: nobody wants it`,
    )
  }
  assert.ok(clock.now >= (world.brokenUntil.get(placementKey(swap)) ?? 0), `${name}: it broke just now`)
  for (const model of swap.evict) {
    assert.ok(!agents.isEvicted({ model, host: swap.host }), `${name}: evicts ${model}, which another swap evicts`)
    const isLoading = agents.loadOf(model, swap.host) !== undefined
    const isEnding = !isLoading && (host.processes.get(model)?.phase ?? 'stopping') === 'stopping'
    assert.ok(
      // A pin does not keep what is being stopped already, as for a reload that took its model away and gave it back, nor what
      // its agent has ended of its own accord and not told yet
      !world.isPinned(model) || agents.isGoing({ model, host: swap.host }) || isEnding,
      `${name}: evicts ${model}, which is pinned`,
    )
    if (!isLoading) continue
    assert.equal(requests.waitingFor(model).length, 0, `${name}: evicts ${model}, a load that others wait for`)
  }
  // A second try after the engine ran out of memory is the same load: what came beside it meanwhile may stay.
  if (world.answeredLoad?.model === swap.model && world.answeredLoad.host === swap.host) return
  for (const model of mustGo(world, swap)) assert.ok(swap.evict.includes(model), `${name}: leaves ${model} alive`)
  assert.ok(leavesNothing(world, swap), `${name}: more would have to go`)
}

/** What comes back by itself takes nothing from anybody. */
const checkRestore = (world: World, { model, host, evict }: Swap): void => {
  const { agents, requests, seen } = world
  const name = `restore of ${model} on ${host}`
  seen.add('restore')
  if (evict.length > 0) seen.add('restore over another')
  assert.ok(world.policyOf(model)?.restoreMs !== undefined, `${name}: it does not come back`)
  for (const { id, hosts } of world.options.models) {
    if (!hosts.includes(host)) continue
    assert.equal(requests.waitingFor(id).length, 0, `${name}: somebody waits for ${id}`)
  }
  for (const victim of evict) {
    const process = agents.processAt({ model: victim, host })
    const served = process === undefined ? [] : requests.servedBy(process)
    assert.ok(
      served.every(({ request }) => request.passive),
      `${name}: ${victim} is used`,
    )
    assert.equal(world.policyOf(victim)?.restoreMs, undefined, `${name}: ${victim} comes back, too`)
  }
}

/** With all that goes gone, nothing more would have to: the answer of the swapper was carried out in full. */
const leavesNothing = (world: World, swap: Swap): boolean => {
  const residents = othersOn(world, swap)
    .filter((model) => !swap.evict.includes(model))
    .map((model) => residentOf(world, { model, host: swap.host }))
  const plan = world.options.swapper.plan({
    now: world.clock.now,
    target: swap.model,
    host: swap.host,
    residents,
    memory: undefined,
  })
  return plan.type === 'evict' && plan.models.length === 0
}

/** Of those the ones that can not stay beside the model. */
const mustGo = (world: World, swap: Swap): ModelId[] =>
  othersOn(world, swap).filter((model) => isInTheWay(world, swap, model))

/** What lives on the host or is being loaded there. */
const othersOn = (world: World, swap: Swap): ModelId[] => {
  const { processes } = world.agents.hosts.get(swap.host) ?? { processes: new Map() }
  const others = world.options.models.filter(
    ({ id }) => id !== swap.model && (processes.has(id) || world.agents.loadOf(id, swap.host) !== undefined),
  )
  return others.map(({ id }) => id)
}

/** Whether a model has to be stopped before another can serve on the same host. */
export const isInTheWay = (world: World, { model, host }: Placement, other: Swap['model']): boolean => {
  const plan = world.options.swapper.plan({
    now: world.clock.now,
    target: model,
    host,
    residents: [residentOf(world, { model: other, host })],
    memory: undefined,
  })
  return plan.type === 'evict' && plan.models.includes(other)
}

const residentOf = (world: World, { model, host }: Placement): Resident => ({
  model,
  pinned: world.isPinned(model) && !world.agents.isGoing({ model, host }),
  inFlight: 0,
  idleSince: 0,
  loading: false,
  reloadMs: undefined,
  drainMs: 0,
})
