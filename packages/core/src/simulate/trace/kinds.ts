import type { RandomSource } from '../../pick/picker.ts'
import { drawExponential, drawPlace, drawTokens } from '../random.ts'
import type { Collector } from './collector.ts'
import type { ParamsOf } from './head.ts'

// Open loop: every arrival is drawn before anything is served, so that a slow scheduler gets no lighter load.

const modelName = (place: number): string => `m${place + 1}`
const callerName = (place: number): string => `user-${place + 1}`
const PRIORITY = { urgent: 10, batch: -10 } as const

export const drawAbab = (params: ParamsOf<'abab'>, random: RandomSource, { add }: Collector): void => {
  let at = 0
  for (let place = 0; place < params.requests; place += 1) {
    const model = modelName(place % params.models)
    add({ at, model, priority: 0, caller: callerName(0), tokens: drawTokens(random, params.tokens) })
    at += params.gapMs * (1 + params.jitter * (2 * random() - 1))
  }
}

export const drawPoisson = (params: ParamsOf<'poisson'>, random: RandomSource, { add }: Collector): void => {
  const { urgentShare, batchShare } = params
  const drawModel = popularity(params.models, params.skew)
  let at = 0
  for (let place = 0; place < params.requests; place += 1) {
    at += drawExponential(random, params.meanGapMs)
    const model = modelName(drawModel(random))
    const roll = random()
    const rest = roll < urgentShare + batchShare ? PRIORITY.batch : 0
    const priority = roll < urgentShare ? PRIORITY.urgent : rest
    const caller = callerName(drawPlace(random, params.callers))
    add({ at, model, priority, caller, tokens: drawTokens(random, params.tokens) })
  }
}

/** Draws a place; each is `skew` times as likely as the next. */
const popularity = (models: number, skew: number): ((random: RandomSource) => number) => {
  const upTo: number[] = []
  let sum = 0
  for (let place = 0; place < models; place += 1) {
    sum += skew ** -place
    upTo.push(sum)
  }
  return (random) => {
    const roll = random() * sum
    const place = upTo.findIndex((limit) => roll < limit)
    // Rounding can leave the sum itself out of reach
    return place === -1 ? models - 1 : place
  }
}

export const drawAgents = (params: ParamsOf<'agents'>, random: RandomSource, { add }: Collector): void => {
  for (let agent = 0; agent < params.agents; agent += 1) {
    let at = random() * params.restMs
    for (let task = 0; task < params.tasks; task += 1) {
      const model = modelName(drawPlace(random, params.models))
      for (let turn = 0; turn < params.turns; turn += 1) {
        const tokens = drawTokens(random, params.tokens)
        add({ at, model, priority: 0, caller: callerName(agent), tokens })
        at += tokens * params.msPerToken + random() * params.thinkMs
      }
      at += drawExponential(random, params.restMs)
    }
  }
}

export const drawMixed = (params: ParamsOf<'mixed'>, random: RandomSource, { add }: Collector): void => {
  for (let batch = 0; batch < params.batches; batch += 1) {
    const model = modelName(batch % params.batchModels)
    // Somewhere in its period, so that jobs also overlap
    const at = (batch + random()) * params.batchEveryMs
    for (let place = 0; place < params.batchSize; place += 1) {
      const tokens = drawTokens(random, params.batchTokens)
      add({ at: at + place, model, priority: params.batchPriority, caller: 'batch', tokens })
    }
  }
  const end = params.batches * params.batchEveryMs
  for (let at = drawExponential(random, params.meanGapMs); at < end; at += drawExponential(random, params.meanGapMs)) {
    const model = modelName(params.batchModels + drawPlace(random, params.interactiveModels))
    const priority = random() < params.urgentShare ? params.urgentPriority : 0
    const caller = callerName(drawPlace(random, params.callers))
    add({ at, model, priority, caller, tokens: drawTokens(random, params.tokens) })
  }
}

export const drawBursts = (params: ParamsOf<'bursts'>, random: RandomSource, { add }: Collector): void => {
  const draw = (at: number, model: number, priority: number): void => {
    const caller = callerName(drawPlace(random, params.callers))
    add({ at, model: modelName(model), priority, caller, tokens: drawTokens(random, params.tokens) })
  }
  const { durationMs, meanGapMs, meanBurstGapMs } = params
  for (let at = drawExponential(random, meanGapMs); at < durationMs; at += drawExponential(random, meanGapMs)) {
    draw(at, drawPlace(random, params.models), 0)
  }
  for (
    let at = drawExponential(random, meanBurstGapMs);
    at < durationMs;
    at += drawExponential(random, meanBurstGapMs)
  ) {
    const model = drawPlace(random, params.models)
    for (let place = 0; place < params.burstSize; place += 1) {
      draw(at + random() * params.burstMs, model, params.burstPriority)
    }
  }
}
