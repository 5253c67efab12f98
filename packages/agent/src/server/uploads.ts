/**
 * Requests whose body is still to come, by the number that their router gave them: behind an engine that takes nothing of it the
 * connection is not read, and so nobody here sees that the router has closed it.
 */
export interface Uploads {
  /** `end` gives it up. Returns what takes it out again. */
  add(id: string | string[] | undefined, end: () => void): () => void
  /** Its client has left. */
  leave(id: string): void
}

const ignore = (): void => {}

export const createUploads = (): Uploads => {
  const ends = new Map<string, () => void>()
  return {
    add: (id, end) => {
      if (typeof id !== 'string') return ignore
      ends.set(id, end)
      return () => void ends.delete(id)
    },
    leave: (id) => ends.get(id)?.(),
  }
}
