import { collectYoung } from './v8.ts'

/** What of large pieces may pass before those that nobody holds any more are given back. With twice as much V8 marks as often as before. */
const RELIEF_BYTES = 8 * 1024 * 1024
/** Smaller ones come with so many objects that V8 collects them by itself. */
const LARGE_BYTES = 16 * 1024

/** Collects the young garbage only. */
type Collect = () => void

/** Told of the bytes of each piece of a body, in any direction. */
export type Relief = (bytes: number) => void

/**
 * To V8 a piece of 64 KB is one small object. It looks for dead ones not among the young but when all pieces together have
 * reached 64 MB, and then marks the whole heap: with 20 MB bodies every 0.4 s each body stopped all streams once or twice, for up
 * to 20 ms. To collect the young ones takes 0.5 ms.
 */
export const createRelief = (collect: Collect): Relief => {
  let passed = 0
  return (bytes) => {
    if (bytes < LARGE_BYTES) return
    passed += bytes
    if (passed < RELIEF_BYTES) return
    passed = 0
    collect()
  }
}

/** The process has one heap, and so one relief. */
export const relieve = createRelief(collectYoung)
