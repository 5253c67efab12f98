/** A condition that something changes from outside: it is looked at again at each `happened`. */
export interface Signal {
  happened(): void
  /** Resolves with the first result that is not undefined; rejects after a minute, naming what did not come. */
  until<Result>(what: string, find: () => Result | undefined): Promise<Result>
}

const DEADLINE_MS = 60_000

export const createSignal = (): Signal => {
  const checks = new Set<() => void>()
  return {
    happened: () => {
      for (const check of checks) check()
    },
    until: <Result>(what: string, find: () => Result | undefined) =>
      new Promise<Result>((resolve, reject) => {
        const deadline = setTimeout(() => {
          checks.delete(check)
          reject(new Error(`waited in vain: ${what}`))
        }, DEADLINE_MS)
        const check = (): void => {
          const found = find()
          if (found === undefined) return
          clearTimeout(deadline)
          checks.delete(check)
          resolve(found)
        }
        checks.add(check)
        check()
      }),
  }
}
