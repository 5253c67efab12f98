import type { RandomSource } from '../../pick/picker.ts'
import { drawExponential, drawPlace, drawTokens } from '../random.ts'
import type { Collector } from './collector.ts'
import type { ParamsOf } from './head.ts'

/** Each turn's prompt is the one before with its answer, and what is said now. */
export const drawConversations = (
  params: ParamsOf<'conversations'>,
  random: RandomSource,
  { add }: Collector,
): void => {
  const { systemTokens } = params
  let beginsAt = 0
  for (let conversation = 0; conversation < params.conversations; conversation += 1) {
    beginsAt += drawExponential(random, params.meanGapMs)
    const system = drawPlace(random, params.systems)
    const caller = `user-${conversation + 1}`
    let at = beginsAt
    let said = systemTokens
    for (let turn = 0; turn < params.turns; turn += 1) {
      said += drawTokens(random, params.turnTokens)
      const tokens = drawTokens(random, params.tokens)
      add({
        at,
        model: 'm1',
        priority: 0,
        caller,
        tokens,
        prompt: { system, systemTokens, conversation, tokens: said },
      })
      said += tokens
      at += tokens * params.msPerToken + drawExponential(random, params.thinkMs)
    }
  }
}
