import type { FeedState, ModelState } from '@lswap/core/protocol'
import { loadStep } from '../../progress/step.ts'
import { duration } from '../../print/units.ts'

/** What a model does, and why. */
export const modelSentence = (model: ModelState, state: FeedState, now: number): string => {
  const failure = model.placements.find((one) => one.failure !== null)?.failure
  const step = model.state === 'ready' ? undefined : loadStep({ state, at: now }, model.model)
  if (model.state === 'stuck') return `${model.model} is stuck: ${failure?.message ?? 'its process does not end'}`
  if (step !== undefined) {
    const fraction = step.fraction(now)
    const done = fraction === undefined ? '' : `, ${Math.round(fraction * 100)} %`
    const time = step.since === undefined ? '' : `, for ${duration(now - step.since)}`
    return `${step.text}${done}${time}`
  }
  if (model.state === 'stopped') {
    if (failure) return `${model.model} is stopped; its last start failed: ${failure.message}`
    const back =
      model.restoreAt === undefined
        ? ''
        : `, and it comes back in ${duration(model.restoreAt - now)} if nothing else is wanted`
    return `${model.model} is stopped; l or its first request loads it${back}`
  }
  const since = Math.min(...model.placements.filter((one) => one.state === model.state).map((one) => one.since))
  const time = Number.isFinite(since) ? ` for ${duration(now - since)}` : ''
  const pinned = model.pinned ? ', pinned' : ''
  return `${model.model} is ${model.state}${time}${pinned}; u unloads it`
}
