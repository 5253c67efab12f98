const LIMIT_MS = 60_000

/** Asks again and again until the answer is true; throws with `what` when that takes too long. */
export async function until(what: string, ask: () => boolean | Promise<boolean>, everyMs = 2): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${LIMIT_MS} ms`)
    await new Promise<void>((resolve) => void setTimeout(resolve, everyMs))
  }
}
