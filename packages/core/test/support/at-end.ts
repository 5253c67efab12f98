/** What has an end: a tap test, or what stands for one. */
export interface Ending {
  teardown(end: () => unknown): void
}

const lists = new WeakMap<Ending, (() => unknown)[]>()

const runAll = async (ends: (() => unknown)[]): Promise<void> => {
  const errors: unknown[] = []
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    try {
      await end()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '))
}

/**
 * Runs at the end of the test, the latest first and each after the one before has ended. Unlike `t.teardown`, one that
 * fails keeps no other from running: what tap forgets to end then holds the test file until its time is up.
 */
export const atEnd = (t: Ending, end: () => unknown): void => {
  const known = lists.get(t)
  if (known !== undefined) {
    known.push(end)
    return
  }
  const ends = [end]
  lists.set(t, ends)
  t.teardown(() => runAll(ends))
}
