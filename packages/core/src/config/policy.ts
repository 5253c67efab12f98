import type { ModelId } from '../ids.ts'
import { DEFAULT_LIMITS, DEFAULT_FIFO } from '../schedule/options.ts'
import type { PolicySettings, SchedulerLimits } from '../schedule/options.ts'
import type { Path, Report } from './issue.ts'
import type { Names } from './names.ts'
import type { RawConfig } from './schema.ts'
import { keyPlaceOf } from './tree.ts'
import type { Tree } from './tree.ts'

const PRIORITIES: Path = ['routing', 'scheduler', 'settings', 'fifo', 'priority']

export const readLimits = (raw: RawConfig): SchedulerLimits => ({
  maxQueued: raw.maxQueued ?? DEFAULT_LIMITS.maxQueued,
  queueTimeoutMs: raw.queueTimeoutMs ?? DEFAULT_LIMITS.queueTimeoutMs,
  drainTimeoutMs: raw.drainTimeoutMs ?? DEFAULT_LIMITS.drainTimeoutMs,
})

export const readPolicy = (raw: RawConfig): PolicySettings => ({
  use: 'fifo',
  fairAfterMs: raw.routing?.scheduler?.settings?.fifo?.fairAfterMs ?? DEFAULT_FIFO.fairAfterMs,
})

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
