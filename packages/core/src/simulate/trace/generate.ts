import { seededRandom } from '../random.ts'
import { createCollector } from './collector.ts'
import type { GeneratedHead } from './head.ts'
import { drawConversations } from './conversations.ts'
import { drawAbab, drawAgents, drawBursts, drawMixed, drawPoisson } from './kinds.ts'
import type { Trace } from './trace.ts'

/** The requests that a first line stands for: the same line, the same requests. */
export const generateTrace = (head: GeneratedHead): Trace => {
  const collector = createCollector()
  const random = seededRandom(head.seed)
  switch (head.kind) {
    case 'abab':
      drawAbab(head.params, random, collector)
      break
    case 'poisson':
      drawPoisson(head.params, random, collector)
      break
    case 'agents':
      drawAgents(head.params, random, collector)
      break
    case 'mixed':
      drawMixed(head.params, random, collector)
      break
    case 'bursts':
      drawBursts(head.params, random, collector)
      break
    case 'conversations':
      drawConversations(head.params, random, collector)
      break
    default:
      head satisfies never
  }
  return collector.finish(head)
}
