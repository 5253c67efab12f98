// The engine's slots: as many requests decode at once, the others are deferred in order of arrival.

export interface Slots {
  readonly total: number
  busy(): readonly boolean[]
  waiting(): number
  /** Resolves with the slot's number, or undefined when the signal came first. */
  take(signal: AbortSignal): Promise<number | undefined>
  free(slot: number): void
}

export function createSlots(total: number): Slots {
  const taken: boolean[] = Array.from({ length: total }, () => false)
  const queue: ((slot: number) => void)[] = []

  function takeNow(): number | undefined {
    const slot = taken.indexOf(false)
    if (slot === -1) return undefined
    taken[slot] = true
    return slot
  }

  return {
    total,
    busy: () => taken,
    waiting: () => queue.length,
    take(signal) {
      if (signal.aborted) return Promise.resolve(undefined)
      const slot = takeNow()
      if (slot !== undefined) return Promise.resolve(slot)
      return new Promise((resolve) => {
        const granted = (free: number): void => {
          signal.removeEventListener('abort', left)
          resolve(free)
        }
        const left = (): void => {
          queue.splice(queue.indexOf(granted), 1)
          resolve(undefined)
        }
        queue.push(granted)
        signal.addEventListener('abort', left, { once: true })
      })
    },
    free(slot) {
      const next = queue.shift()
      if (next) next(slot)
      else taken[slot] = false
    },
  }
}
