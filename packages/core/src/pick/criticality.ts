import type { Criticality } from '../schedule/request.ts'

export const CRITICALITIES: readonly Criticality[] = ['critical', 'standard', 'sheddable']

/** Undefined: not a criticality. */
export const parseCriticality = (text: string): Criticality | undefined => {
  const wanted = text.trim().toLowerCase()
  return CRITICALITIES.find((criticality) => criticality === wanted)
}

/** What the request asked for, else what its model is configured with, else by priority: batch work may be refused. */
export const criticalityOf = (source: {
  readonly asked?: Criticality | undefined
  readonly configured?: Criticality | undefined
  readonly priority: number
}): Criticality => source.asked ?? source.configured ?? (source.priority >= 0 ? 'critical' : 'sheddable')
