/** Time as the forwarder needs it, so that tests can move it. */
export interface ForwardTimers {
  /** Milliseconds that only ever grow. */
  now(): number
  /** Returns what takes the callback back. The timer does not keep the process alive. */
  after(ms: number, callback: () => void): () => void
}

export const systemTimers: ForwardTimers = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => {
      clearTimeout(timer)
    }
  },
}
