import type { FeedState, ModelPlacement } from '@lswap/core/protocol'
import { plainLine } from '../../print/plain.ts'
import { bytes, duration } from '../../print/units.ts'
import { modelSentence } from '../panel/model-sentence.ts'
import { waitSentence } from '../panel/queue.ts'

/** Of those who wait for a model, how many are named. */
const NAMED = 20

/** All about a model: what it does, where, who uses it and who waits for it. */
export const modelText = (id: string, state: FeedState, now: number): readonly string[] => {
  const model = state.models.find((one) => one.model === id)
  if (model === undefined) return ['it is not configured any more']
  const running = state.running.filter((one) => one.model === id)
  const waiting = state.waiting.filter((one) => one.model === id)
  const lines = [modelSentence(model, state, now), '']
  if (model.name !== null) lines.push(`name: ${model.name}`)
  if (model.aliases.length > 0) lines.push(`other names: ${model.aliases.join(', ')}`)
  if (model.pinned) lines.push('pinned: it is neither evicted nor unloaded for being idle')
  lines.push(...model.placements.flatMap((placement) => placementLines(placement, now)))
  lines.push('', `${running.length} running, ${model.waiting} waiting`)
  for (const one of running.slice(0, NAMED)) {
    lines.push(`  request ${one.id} runs on ${one.host} for ${duration(now - one.grantedAt)}`)
  }
  for (const one of waiting.slice(0, NAMED)) lines.push(`  ${waitSentence(one, now)}`)
  return lines.map(plainLine)
}

export const placementLines = (placement: ModelPlacement, now: number): readonly string[] => {
  const { host, since, slots, inFlight, pid, memoryBytes, expectedLoadMs, untilAt, failure } = placement
  const parts = [`on ${host}: ${placement.state} for ${duration(now - since)}`]
  if (slots !== null) parts.push(`${inFlight} of ${slots} slots in use`)
  if (pid !== null) parts.push(`process ${pid}`)
  if (memoryBytes !== null) parts.push(bytes(memoryBytes))
  if (expectedLoadMs !== null) parts.push(`a load usually takes ${duration(expectedLoadMs)}`)
  if (untilAt !== null) parts.push(`unloaded for being idle in ${duration(untilAt - now)}`)
  return [parts.join(', '), ...(failure === null ? [] : [`  ${failure.code}: ${failure.message}`])]
}
