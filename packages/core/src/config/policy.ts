import type { ModelId } from '../ids.ts'
import { DEFAULT_LIMITS, DEFAULT_FIFO, DEFAULT_SERIAL } from '../schedule/options.ts'
import type { FifoSettings, PolicySettings, SchedulerLimits, SerialSettings } from '../schedule/options.ts'
import type { Path, Report } from './issue.ts'
import type { Names } from './names.ts'
import type { RawConfig } from './schema.ts'
import { keyPlaceOf, placeOf } from './tree.ts'
import type { Tree } from './tree.ts'

const SETTINGS: Path = ['routing', 'scheduler', 'settings']
const PRIORITIES: Path = [...SETTINGS, 'fifo', 'priority']
const AGING: Path = [...SETTINGS, 'serial', 'agingSeconds']

export const readLimits = (raw: RawConfig): SchedulerLimits => ({
  maxQueued: raw.maxQueued ?? DEFAULT_LIMITS.maxQueued,
  queueTimeoutMs: raw.queueTimeoutMs ?? DEFAULT_LIMITS.queueTimeoutMs,
  drainTimeoutMs: raw.drainTimeoutMs ?? DEFAULT_LIMITS.drainTimeoutMs,
})

/** The scheduler of a configuration file; serial where it names none. */
export const schedulerOf = (raw: RawConfig): PolicySettings['use'] => raw.routing?.scheduler?.use ?? 'serial'

export const readPolicy = (raw: RawConfig, root: Tree, report: Report): PolicySettings => {
  const use = schedulerOf(raw)
  const other = use === 'serial' ? 'fifo' : 'serial'
  const unused = [...SETTINGS, other]
  if (raw.routing?.scheduler?.settings?.[other] !== undefined) {
    const how = raw.routing.scheduler.use === undefined ? ', the default' : ''
    const message = `no effect: the scheduler is ${use}${how}; routing.scheduler.use: ${other} would use it`
    report.warning({ at: keyPlaceOf(root, unused), path: unused, message })
  }
  return use === 'serial' ? readSerial(raw, root, report) : readFifo(raw)
}

const readFifo = (raw: RawConfig): FifoSettings => ({
  use: 'fifo',
  fairAfterMs: raw.routing?.scheduler?.settings?.fifo?.fairAfterMs ?? DEFAULT_FIFO.fairAfterMs,
})

const readSerial = (raw: RawConfig, root: Tree, report: Report): SerialSettings => {
  const given = raw.routing?.scheduler?.settings?.serial
  if (given?.agingSeconds === 0) {
    const message =
      'waiting is worth nothing with 0, so nothing bounds a wait: a request waits for as long as more urgent ones come'
    report.warning({ at: placeOf(root, AGING), path: AGING, message })
  }
  return {
    use: 'serial',
    agingSeconds: given?.agingSeconds ?? DEFAULT_SERIAL.agingSeconds,
    swapAffinity: given?.swapAffinity ?? DEFAULT_SERIAL.swapAffinity,
    minResidencyMs: given?.minResidencyMs ?? DEFAULT_SERIAL.minResidencyMs,
    fairShare: given?.fairShare ?? DEFAULT_SERIAL.fairShare,
    backfill: given?.backfill ?? DEFAULT_SERIAL.backfill,
  }
}

/** The order between models under `fifo`; a model may be named by an alias. */
export const readPriorities = (
  raw: RawConfig,
  root: Tree,
  { names, report }: { names: Names; report: Report },
): ReadonlyMap<ModelId, number> => {
  const priorities = new Map<ModelId, number>()
  for (const [name, priority] of Object.entries(raw.routing?.scheduler?.settings?.fifo?.priority ?? {})) {
    const path = [...PRIORITIES, name]
    const at = keyPlaceOf(root, path)
    const model = names.resolve(name)
    if (model === undefined) {
      const message = `no model has the id or alias ${JSON.stringify(name)}`
      report.error({ at, path, message, meant: { given: name, valid: names.all() } })
    } else if (priorities.has(model)) {
      report.error({ at, path, message: `the model ${JSON.stringify(model)} has a priority already, by another name` })
    } else if (priority !== undefined) {
      priorities.set(model, priority)
    }
  }
  return priorities
}
