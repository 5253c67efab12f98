import { collectAll } from '../../../../src/heap/v8.ts'

/** Megabytes that live on after something was done, what nobody holds being collected. */
export const grownBy = async (work: () => void): Promise<number> => {
  await collectAll()
  const before = process.memoryUsage().heapUsed
  work()
  await collectAll()
  return (process.memoryUsage().heapUsed - before) / 1_048_576
}
