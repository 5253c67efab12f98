import { placementKey, type Command, type Placement } from '../../../src/index.ts'
import type { Endings } from './endings.ts'
import type { Process } from './host.ts'
import { STUCK, type AgentsOptions, type StopOrder } from './orders.ts'
import type { Swaps } from './swaps.ts'

export interface StopsOptions extends Pick<AgentsOptions, 'clock' | 'fateOf' | 'send'> {
  readonly endings: Endings
  readonly swaps: Pick<Swaps, 'isUnderWay'>
  readonly processAt: (placement: Placement) => Process | undefined
}

/** The stops that agents were told, each answered once all that it names has ended or is stuck. */
export class Stops {
  readonly #options: StopsOptions
  readonly #stops: StopOrder[] = []

  constructor(options: StopsOptions) {
    this.#options = options
  }

  isIdle(): boolean {
    return this.#stops.every(({ ended }) => ended)
  }

  start(order: Extract<Command, { type: 'stop' }>): void {
    const { endings, fateOf, processAt } = this.#options
    this.#stops.push({ order, outcomes: new Map(), ended: false })
    for (const placement of order.placements) {
      const process = processAt(placement)
      if (process?.phase === 'stuck') endings.end(process, fateOf(order.generation), 0)
    }
  }

  /** Moves each on as far as it goes without time. */
  move(): void {
    for (const stop of this.#stops) if (!stop.ended) this.#move(stop)
  }

  #move(stop: StopOrder): void {
    const { clock, endings, fateOf, processAt, send, swaps } = this.#options
    const { order, outcomes } = stop
    for (const placement of order.placements) {
      const key = placementKey(placement)
      if (outcomes.has(key)) continue
      const process = processAt(placement)
      if (process === undefined && !swaps.isUnderWay(placement)) outcomes.set(key, { placement, outcome: 'stopped' })
      else if (process?.phase === 'stuck') outcomes.set(key, { placement, outcome: 'stuck', failure: STUCK })
      else if (process?.phase === 'ready') endings.end(process, fateOf(order.generation), order.drainMs)
      else if (process !== undefined && order.drainMs === 0) endings.hurry(process)
    }
    if (outcomes.size < order.placements.length) return
    stop.ended = true
    const { generation } = order
    clock.after(1, () => send({ type: 'stop-done', generation, outcomes: [...outcomes.values()] }))
  }
}
