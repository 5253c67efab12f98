/** Memory or disk space that all waiting bodies share. */
export interface BodyMemory {
  /** False: the bound, or this share of it, is reached and nothing was taken. */
  take(bytes: number, share?: number): boolean
  give(bytes: number): void
  taken(): number
}

/** `limit` may change; what was taken under a higher one is kept. */
export const createBodyMemory = (limit: () => number): BodyMemory => {
  let taken = 0
  return {
    take: (bytes, share = 1) => {
      if (taken + bytes > limit() * share) return false
      taken += bytes
      return true
    },
    give: (bytes) => {
      taken -= bytes
    },
    taken: () => taken,
  }
}
