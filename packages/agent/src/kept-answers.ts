import type { Generation } from '@lswap/core'

/** How many are kept for orders that come a second time: more than come while a broken connection is made anew. */
const KEPT = 256

/** Carries each order out once, however often it is given: who repeats it joins the first, or gets its answer. */
export type KeptAnswers = <Answer>(generation: Generation, run: () => Promise<Answer>) => Promise<Answer>

/** Those that are not answered yet are kept whatever their number. */
export const createKeptAnswers = (kept = KEPT): KeptAnswers => {
  const answers = new Map<Generation, Promise<unknown>>()
  const running = new Set<Generation>()
  return <Answer>(generation: Generation, run: () => Promise<Answer>) => {
    const known = answers.get(generation)
    if (known !== undefined) return known as Promise<Answer>
    const answer = run()
    answers.set(generation, answer)
    running.add(generation)
    const end = (): void => void running.delete(generation)
    answer.then(end, end)
    for (const oldest of answers.keys()) {
      if (answers.size <= kept) break
      if (!running.has(oldest)) answers.delete(oldest)
    }
    return answer
  }
}
