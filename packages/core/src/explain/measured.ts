import { placementKey, type ModelId, type Placement } from '../ids.ts'
import type { Measures, MeasureKind } from '../schedule/state/measures.ts'
import type { Forecast } from './forecast.ts'

const LOW = 0.1
const HIGH = 0.9

/**
 * What was measured lately, wider the fewer samples there are: one alone says no more than "from half to double", twenty
 * are taken at their word.
 */
const spread = (
  measures: Measures,
  asked: { kind: MeasureKind; key: ReturnType<typeof placementKey> | ModelId; model: ModelId },
): Forecast => {
  const { kind, key, model } = asked
  const count = measures.count(kind, key)
  const [low, median, high] = [LOW, 0.5, HIGH].map((share) => measures.quantile(kind, key, share))
  if (low === undefined || median === undefined || high === undefined) {
    return { estimate: undefined, unmeasured: [{ measure: kind, model }] }
  }
  return {
    estimate: { lowMs: (low * count) / (count + 1), medianMs: median, highMs: high * (1 + 1 / count) },
    unmeasured: [],
  }
}

/** How long a load at a placement takes, from the end of the stops to ready. */
export const loadTime = (measures: Measures, placement: Placement): Forecast =>
  spread(measures, { kind: 'load', key: placementKey(placement), model: placement.model })

/** How long its process takes to stop once it serves nothing. */
export const stopTime = (measures: Measures, placement: Placement): Forecast =>
  spread(measures, { kind: 'stop', key: placementKey(placement), model: placement.model })

/** How long a request of the model takes from its grant to its end. */
export const serviceTime = (measures: Measures, model: ModelId): Forecast =>
  spread(measures, { kind: 'service', key: model, model })
