import { eventsOf } from '../e2e/chat.ts'
import type { Rig } from './rig.ts'

/** How a request ended. */
export interface Ended {
  readonly outcome: 'answered' | 'refused' | 'cut' | 'left' | 'lost-router'
  readonly code?: string
  /** What should not be so. */
  readonly fault?: string
  readonly ms: number
}

/** Longer than two attempts at a queue, a drain and a load may take. */
const DEADLINE_MS = 60_000

/** What somebody who asks may be told while engines, agents and routers come and go. All else is a fault. */
const CLEAR = new Set([
  'evicted',
  'host_unreachable',
  'model_impossible',
  'out_of_memory',
  'queue_full',
  'shutting_down',
  'start_failed',
  'start_timeout',
  'unloaded',
  'upstream_died',
  'upstream_unreachable',
  'wait_exceeded',
])

export interface Question {
  readonly model: string
  readonly stream: boolean
  readonly tokens: number
  readonly leaveMs?: number
}

/** Asks the router, and judges how that ended. */
export const ask = async (rig: Rig, question: Question): Promise<Ended> => {
  const { model, stream, tokens, leaveMs } = question
  const began = performance.now()
  const end = (rest: Omit<Ended, 'ms'>): Ended => ({ ...rest, ms: Math.round(performance.now() - began) })
  const leave = leaveMs === undefined ? undefined : AbortSignal.timeout(leaveMs)
  const limit = AbortSignal.timeout(DEADLINE_MS)
  let isAnswered = false
  try {
    const answer = await fetch(`${rig.router.url()}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, max_tokens: tokens, messages: [{ role: 'user', content: 'hello' }] }),
      signal: leave === undefined ? limit : AbortSignal.any([limit, leave]),
    })
    isAnswered = answer.status === 200
    return end(judge(question, answer.status, await answer.text()))
  } catch (error) {
    if (leave?.aborted === true) return end({ outcome: 'left' })
    if (limit.aborted) return end({ outcome: 'cut', fault: `no end within ${DEADLINE_MS / 1000} s` })
    if (rig.router.wasDownSince(began)) return end({ outcome: 'lost-router' })
    const { cause } = error as { cause?: Error }
    return end({
      outcome: 'cut',
      fault: `${isAnswered ? 'its answer' : 'it'} broke: ${String(error)} ${cause?.message ?? ''}`,
    })
  }
}

const judge = ({ model, stream, tokens }: Question, status: number, text: string): Omit<Ended, 'ms'> => {
  if (status !== 200) return refused(text, `${status}`)
  try {
    const last = stream ? eventsOf(text).at(-1) : text
    if (last === undefined) return { outcome: 'cut', fault: 'a stream without an event' }
    if (last !== '[DONE]') {
      const document = JSON.parse(last) as { error?: object; model?: string; usage?: { completion_tokens: number } }
      if (document.error !== undefined) return refused(last, 'a stream')
      if (stream) return { outcome: 'cut', fault: `a stream ended without its end: ${last.slice(0, 200)}` }
      if (document.usage?.completion_tokens !== tokens)
        return { outcome: 'cut', fault: `not the ${tokens} tokens: ${last.slice(0, 200)}` }
    }
    if (!text.includes(`"model":"${model}"`))
      return { outcome: 'cut', fault: `not from ${model}: ${text.slice(0, 200)}` }
    return { outcome: 'answered' }
  } catch (error) {
    return { outcome: 'cut', fault: `${String(error)}: ${text.slice(0, 300)}` }
  }
}

const refused = (text: string, where: string): Omit<Ended, 'ms'> => {
  const { error } = JSON.parse(text) as { error: { code?: string; message: string } }
  const code = String(error.code)
  if (CLEAR.has(code)) return { outcome: 'refused', code }
  return { outcome: 'refused', code, fault: `${where}: ${code}: ${error.message}` }
}
