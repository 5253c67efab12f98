import type { MemoryReport, ModelConfig, ModelId } from '@lswap/core'
import type { AgentMetrics } from '@lswap/core/protocol'
import type { DeviceClock } from '../devices/clock.ts'
import type { Devices } from '../devices/devices.ts'
import { createNeeds } from '../devices/needs.ts'
import { createPeakBook, type Measured, type PeakBook } from '../devices/peaks.ts'
import { createRoomBook } from '../devices/room.ts'
import { isMachine } from '../devices/uses.ts'
import type { ProcessOwner } from '../process/owner.ts'
import type { ProcessMemories } from '../process/process-memory.ts'
import { settledWithin } from '../process/wait.ts'
import { createScraper, type Scraped } from '../scrape/scraper.ts'
import { sharesContext } from '../scrape/shares-context.ts'
import type { PeaksFile } from '../state/peaks-file.ts'
import { measure } from './measure.ts'

export interface MeasuringOptions {
  readonly file: PeaksFile
  readonly sensors: Devices
  readonly clock: DeviceClock
  readonly owners: () => ReadonlyMap<ModelId, ProcessOwner>
  readonly memories: ProcessMemories
  /** What its models need is known better. */
  readonly onSizes: () => void
}

/** What is measured on this machine. */
export interface Measuring {
  readonly peaks: Pick<PeakBook, 'peakOf' | 'noteReady'>
  noteExit(): void
  /** Other models, or others than before. */
  noteModels(): void
  metrics(): Promise<AgentMetrics>
  memory(): Promise<MemoryReport>
  close(): Promise<void>
}

/** Whoever asks first hears of sizes that are read within this; the others are told as they come. */
const ESTIMATES_MS = 1_000

export const createMeasuring = async (options: MeasuringOptions): Promise<Measuring> => {
  const { file, sensors, clock, memories, onSizes } = options
  const owners = (): readonly ProcessOwner[] => [...options.owners().values()]
  const running = (): readonly Measured[] =>
    owners().flatMap((owner) => {
      const { phase, pid } = owner.view()
      return phase === 'ready' && pid !== undefined ? [{ model: owner.definition(), pid }] : []
    })
  const scraped = (): readonly Scraped[] =>
    owners().flatMap((owner) => {
      const engine = owner.serving()
      const { id: model, cmd } = owner.definition()
      return engine === undefined ? [] : [{ model, ...engine, sharesContext: sharesContext(cmd) }]
    })
  const rooms = createRoomBook({
    sensors,
    clock,
    pids: () => owners().flatMap((owner) => owner.view().pid ?? []),
    anonymousBytes: (pid) => memories.of(pid)?.anonymousBytes,
  })
  const peaks = await createPeakBook({
    file,
    sensors,
    clock,
    running,
    onUses: (uses) => rooms.note(uses),
    onPeak: () => needs.look(),
  })
  const needs = createNeeds({
    models: (): readonly ModelConfig[] => owners().map((owner) => owner.definition()),
    peakOf: (model) => peaks.peakOf(model),
    hasCards: async () => (await sensors.known()).devices.some(({ source }) => !isMachine(source)),
    clock,
    onChange: onSizes,
  })
  const scraper = createScraper({ clock })

  return {
    peaks,
    noteExit: () => rooms.noteExit(),
    noteModels: () => needs.look(),
    metrics: () =>
      measure(
        owners().map((owner) => owner.view()),
        { sensors, peaks, rooms, memories, engines: scraper.samples(scraped()) },
      ),
    memory: async () => {
      await sensors.settled
      await settledWithin(needs.estimate(), ESTIMATES_MS)
      const { room, others } = await rooms.read()
      return { room: Object.fromEntries(room), others: Object.fromEntries(others), sizes: needs.list() }
    },
    close: () => peaks.close(),
  }
}
