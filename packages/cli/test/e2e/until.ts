import { setTimeout as pause } from 'node:timers/promises'

const INTERVAL_MS = 10

/** Polls until `look` finds something; rejects with what was looked for when it does not within the limit. */
export const until = async <Found>(
  what: string,
  look: () => Found | undefined | Promise<Found | undefined>,
  limitMs = 60_000,
): Promise<Found> => {
  const deadline = performance.now() + limitMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`)
    await pause(INTERVAL_MS)
  }
}
