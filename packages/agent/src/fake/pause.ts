/** Waits; resolves false at once when the signal comes first. Timers of 0 ms or less only yield to the event loop. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const timer = ms <= 0 ? undefined : setTimeout(done, ms)
    const turn = ms <= 0 ? setImmediate(done) : undefined
    function done(): void {
      signal.removeEventListener('abort', left)
      resolve(true)
    }
    function left(): void {
      clearTimeout(timer)
      clearImmediate(turn)
      resolve(false)
    }
    signal.addEventListener('abort', left, { once: true })
  })
}
