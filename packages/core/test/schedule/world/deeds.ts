import { ANONYMOUS, callerId, epoch, placementKey, requestId, unloadId, type ModelId } from '../../../src/index.ts'
import type { Process } from './host.ts'
import { exited } from './orders.ts'
import { hostAt, modelAt, optionsOf, type Action, type Setup } from './setup.ts'
import type { World } from './world.ts'

/** What people and chance do in a world, as a trace says. */
export class Deeds {
  readonly #world: World
  readonly #setup: Setup
  readonly #unloads = new Set<number>()
  #asked = 0
  #unloaded = 0

  constructor(world: World, setup: Setup) {
    this.#world = world
    this.#setup = setup
  }

  /** Those that nobody answered yet. */
  openUnloads(): readonly number[] {
    return [...this.#unloads]
  }

  /** False: it was answered before. */
  answered(unload: number): boolean {
    return this.#unloads.delete(unload)
  }

  do(action: Action): void {
    const world = this.#world
    const { agents, clock, requests } = world
    switch (action.type) {
      case 'ask': {
        this.#asked += 1
        const { priority, passive, noLoad } = action
        const { callerLimit } = this.#setup
        const request = {
          id: requestId(this.#asked),
          model: modelAt(action.model),
          criticality: 'critical',
          ...(action.caller === 0 ? { caller: ANONYMOUS } : { caller: callerId(`k${action.caller}`) }),
          ...(action.caller === 0 || callerLimit === undefined ? {} : { callerLimit }),
          priority,
          takesSlot: action.takesSlot && !passive,
          ...(passive ? { passive } : {}),
          noLoad,
        } as const
        requests.add(request, action)
        world.send({ type: 'request-received', request })
        break
      }
      case 'cancel': {
        const waiting = requests.waiting()
        const asked = waiting[action.pick % Math.max(1, waiting.length)]
        if (asked === undefined) return
        asked.state = 'ended'
        world.send({ type: 'request-cancelled', request: asked.request.id })
        break
      }
      case 'crash': {
        const process = this.#readyAt(action.pick)
        if (process === undefined) return
        if (action.stale) world.send(exited(process, epoch(process.epoch - 1)))
        else {
          world.seen.add('crash')
          if (clock.now - process.readyAt < 30_000) world.brokenUntil.set(placementKey(process), clock.now + 1_000)
          agents.crash(process)
        }
        break
      }
      case 'end-unasked': {
        const process = this.#readyAt(action.pick)
        if (process === undefined) return
        world.seen.add('ended unasked')
        agents.endUnasked(process, world.fateAt(action.pick), action.drainMs)
        break
      }
      case 'unload':
        this.#unload(action)
        break
      case 'host-down': {
        const host = agents.hosts.get(hostAt(action.host))
        if (host?.up !== true) return
        world.seen.add('host lost')
        agents.vanish(host, action.dies)
        break
      }
      case 'host-up': {
        const host = agents.hosts.get(hostAt(action.host))
        if (host?.up === false) agents.appear(host)
        break
      }
      case 'reload':
        world.reload(optionsOf(this.#setup, action.reload))
        break
      case 'pin': {
        const { pinned } = action
        const model = modelAt(action.model)
        if (world.policyOf(model) !== undefined) world.pins.set(model, pinned)
        if (pinned) world.seen.add('pin')
        world.send({ type: 'pin-asked', model, pinned })
        break
      }
      default:
        action satisfies never
    }
  }

  #unload({ model, drainMs, force }: Extract<Action, { type: 'unload' }>): void {
    const { agents, pins, seen } = this.#world
    this.#unloaded += 1
    const unload = unloadId(this.#unloaded)
    this.#unloads.add(unload)
    const named = model === 'all' ? [] : [modelAt(model)]
    for (const id of named) if (this.#world.isPinned(id)) pins.set(id, false)
    const isLoading = (id: ModelId): boolean => [...agents.hosts.keys()].some((host) => agents.loadOf(id, host))
    if (named.some((id) => isLoading(id))) seen.add('unload during load')
    this.#world.send({ type: 'unload-asked', unload, targets: model === 'all' ? 'all' : named, drainMs, force })
  }

  /** One of those that are ready where it can be seen. */
  #readyAt(pick: number): Process | undefined {
    const { agents } = this.#world
    const ready = agents.processes().filter(({ phase, host }) => phase === 'ready' && agents.hosts.get(host)?.up)
    return ready[pick % Math.max(1, ready.length)]
  }
}
