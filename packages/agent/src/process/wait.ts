/** Whether the promise settled within the time; false at once when the signal fires. Leaves no timer behind. */
export const settledWithin = (promise: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> => {
  if (signal?.aborted === true) return Promise.resolve(false)
  return new Promise((resolve) => {
    const finish = (settled: boolean): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      resolve(settled)
    }
    const onAbort = (): void => finish(false)
    const timer = setTimeout(() => finish(false), ms)
    signal?.addEventListener('abort', onAbort, { once: true })
    promise.then(
      () => finish(true),
      () => finish(true),
    )
  })
}

/** A pause that ends early when the signal fires. */
export const pause = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await settledWithin(new Promise(() => {}), ms, signal)
}

/** Resolves when the signal fires; `release` forgets the listener. */
export const aborted = (signal: AbortSignal): { readonly fired: Promise<void>; release(): void } => {
  const watch = new AbortController()
  const fired = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: watch.signal })
  })
  return { fired, release: () => watch.abort() }
}
