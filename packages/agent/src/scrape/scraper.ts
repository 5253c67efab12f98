import type { Epoch, ModelId } from '@lswap/core'
import type { DeviceClock } from '../devices/clock.ts'
import type { EngineTarget } from '../process/target.ts'
import { readExposition, type Metric } from './exposition.ts'
import { fetchPage, type PageAnswer } from './fetch-text.ts'
import { isIdle, numbersIn, slotNumbers, type EngineNumbers, type EngineSample } from './names.ts'

/**
 * A llama-server that is asked once a second or more often notices later that a client left, and every question waits for its next
 * decode; a picker takes a sample of two seconds for stale.
 */
const SCRAPE_MS = 1_250
/** An engine that takes longer is busy; the next question comes when this one is settled. */
const ANSWER_MS = 1_000
/** A page that an engine does not have is asked for again after this long: it may only have been loading. */
const REFUSED_MS = 60_000

export interface Scraped {
  readonly model: ModelId
  readonly epoch: Epoch
  readonly target: EngineTarget
  /** Its slots share one context. */
  readonly sharesContext: boolean
}

/** Asks engines about themselves, each at most once at a time, and only while somebody wants to know. */
export interface Scraper {
  /** The latest sample of each process by model; starts new questions where they are due, and waits for none. */
  samples(running: readonly Scraped[]): ReadonlyMap<ModelId, EngineSample>
  /** Resolves when no question is open. */
  settled(): Promise<void>
}

interface Known {
  readonly epoch: Epoch
  asking: Promise<void> | undefined
  dueAt: number
  sample: EngineSample | undefined
  /** Until when a page is not asked for. */
  readonly refusedUntil: Map<string, number>
}

export interface ScraperOptions {
  readonly clock: DeviceClock
  readonly answerMs?: number
}

export const createScraper = ({ clock, answerMs = ANSWER_MS }: ScraperOptions): Scraper => {
  const known = new Map<ModelId, Known>()

  const pageOf = async (path: string, target: EngineTarget, { refusedUntil }: Known): Promise<PageAnswer> => {
    if (clock.now() < (refusedUntil.get(path) ?? 0)) return { type: 'refused' }
    const answer = await fetchPage(target, path, answerMs)
    if (answer.type === 'refused') refusedUntil.set(path, clock.now() + REFUSED_MS)
    return answer
  }

  const ask = async ({ target, sharesContext }: Scraped, entry: Known): Promise<void> => {
    const sampledAt = clock.now()
    const metrics = await pageOf('/metrics', target, entry)
    // Busy: the last sample grows old, and that is what everybody sees
    if (metrics.type === 'busy') return
    const page = metrics.type === 'text' ? readExposition(metrics.text) : []
    const told = numbersIn(page)
    const slots = told.kv === undefined ? await slotsOf(page, entry, { target, sharesContext }) : {}
    if (slots === 'busy') return
    const numbers: EngineNumbers = { ...slots, ...told }
    if (Object.keys(numbers).length > 0) entry.sample = { ...numbers, sampledAt }
  }

  const slotsOf = async (
    page: readonly Metric[],
    entry: Known,
    { target, sharesContext }: Pick<Scraped, 'target' | 'sharesContext'>,
  ): Promise<EngineNumbers | 'busy'> => {
    if (isIdle(page)) return { kv: 0 }
    const slots = await pageOf('/slots', target, entry)
    if (slots.type === 'busy') return 'busy'
    return slots.type === 'text' ? slotNumbers(parsed(slots.text), sharesContext) : {}
  }

  const entryOf = ({ model, epoch }: Scraped): Known => {
    const found = known.get(model)
    if (found?.epoch === epoch) return found
    const entry: Known = { epoch, asking: undefined, dueAt: 0, sample: undefined, refusedUntil: new Map() }
    known.set(model, entry)
    return entry
  }

  return {
    samples(running) {
      const models = new Set(running.map(({ model }) => model))
      for (const model of known.keys()) if (!models.has(model)) known.delete(model)
      for (const each of running) {
        const entry = entryOf(each)
        if (entry.asking !== undefined || clock.now() < entry.dueAt) continue
        entry.dueAt = clock.now() + SCRAPE_MS
        entry.asking = ask(each, entry).finally(() => {
          entry.asking = undefined
        })
      }
      return new Map(
        [...known].flatMap(([model, { sample }]) => (sample === undefined ? [] : [[model, sample] as const])),
      )
    },
    settled: async () => {
      for (const { asking } of known.values()) await asking
    },
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
