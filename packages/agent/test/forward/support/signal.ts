/** A condition that something changes from outside: check it again at each `notify`. */
export interface Signal {
  notify(): void
  /** Resolves when `condition` holds; rejects after a minute, naming what did not happen. */
  until(condition: () => boolean, what: string): Promise<void>
}

export const createSignal = (): Signal => {
  const checks = new Set<() => void>()
  return {
    notify: () => {
      for (const check of checks) check()
    },
    until: (condition, what) =>
      new Promise((resolve, reject) => {
        const deadline = setTimeout(() => {
          checks.delete(check)
          reject(new Error(`waited in vain: ${what}`))
        }, 60_000)
        const check = (): void => {
          if (!condition()) return
          clearTimeout(deadline)
          checks.delete(check)
          resolve()
        }
        checks.add(check)
        check()
      }),
  }
}
