/** Buckets from a hot answer to a cold start of a large model. */
export const SECONDS: number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900]
