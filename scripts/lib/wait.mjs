import { setTimeout as pause } from 'node:timers/promises'

/** Asks again and again until the answer is truthy; throws with `what` when `limitMs` is over. */
export async function until(what, ask, { limitMs, everyMs = 50 }) {
  const deadline = performance.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs / 1000} s`)
    await pause(everyMs)
  }
}

/** Whether a router answers at this address. */
export async function isHealthy(url) {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })
    return answer.status === 200
  } catch {
    return false
  }
}
