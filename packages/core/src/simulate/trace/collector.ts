import { LswapError } from '../../errors/failure.ts'
import { callerId, modelId } from '../../ids.ts'
import { MAX_REQUESTS, type TraceHead } from './head.ts'
import type { Prompt } from './prompt.ts'
import type { Trace, TraceRow } from './trace.ts'

/** Gathers requests in any order. */
export interface Collector {
  /** Throws `invalid_trace` beyond {@link MAX_REQUESTS}: parameters can ask for more than any memory holds. */
  readonly add: (row: TraceRow) => void
  /** The trace, in order of arrival; of equal times the first added first. */
  readonly finish: (head: TraceHead) => Trace
}

/** Names in the order in which they came, each with its place. */
const createNames = () => {
  const names: string[] = []
  const places = new Map<string, number>()
  return {
    names,
    placeOf: (name: string): number => {
      const known = places.get(name)
      if (known !== undefined) return known
      places.set(name, names.length)
      names.push(name)
      return names.length - 1
    },
  }
}

const FIRST_ROOM = 1_024

export const createCollector = (): Collector => {
  const models = createNames()
  const callers = createNames()
  let room = FIRST_ROOM
  let count = 0
  let columns = newColumns(room)
  let sorted = true
  /** By place, only where there are any. */
  const prompts: Prompt[] = []
  return {
    add: ({ at, model, priority, caller, tokens, prompt }) => {
      if (count === MAX_REQUESTS) throw tooMany()
      if (count === room) {
        room *= 2
        columns = grown(columns, room)
      }
      // Whole microseconds: a trace that was written down and read again is the same
      columns.at[count] = Math.round(at * 1_000) / 1_000
      columns.model[count] = models.placeOf(model)
      columns.priority[count] = priority
      columns.caller[count] = callers.placeOf(caller)
      columns.tokens[count] = tokens
      if (prompt !== undefined) prompts[count] = prompt
      if (count > 0 && (columns.at[count] as number) < (columns.at[count - 1] as number)) sorted = false
      count += 1
    },
    finish: (head) => {
      const order = sorted ? undefined : orderOf(columns, count)
      const { at, model, priority, caller, tokens } =
        order === undefined ? cut(columns, count) : inOrder(columns, order)
      return {
        head,
        models: models.names.map((name) => modelId(name)),
        callers: callers.names.map((name) => callerId(name)),
        length: count,
        at,
        model,
        priority,
        caller,
        tokens,
        countedAs: priority,
        ...(prompts.length === 0
          ? {}
          : { prompts: order === undefined ? prompts : Array.from(order, (place) => prompts[place]) }),
      }
    },
  }
}

const tooMany = (): LswapError =>
  new LswapError({
    code: 'invalid_trace',
    message: `the trace has more than ${MAX_REQUESTS} requests`,
    hint: 'take a shorter time, longer gaps or fewer requests',
  })

type Columns = Pick<Trace, 'at' | 'model' | 'priority' | 'caller' | 'tokens'>

const newColumns = (room: number): Columns => ({
  at: new Float64Array(room),
  model: new Int32Array(room),
  priority: new Int8Array(room),
  caller: new Int32Array(room),
  tokens: new Int32Array(room),
})

const grown = (columns: Columns, room: number): Columns => {
  const made = newColumns(room)
  made.at.set(columns.at)
  made.model.set(columns.model)
  made.priority.set(columns.priority)
  made.caller.set(columns.caller)
  made.tokens.set(columns.tokens)
  return made
}

const cut = ({ at, model, priority, caller, tokens }: Columns, count: number): Columns => ({
  at: at.slice(0, count),
  model: model.slice(0, count),
  priority: priority.slice(0, count),
  caller: caller.slice(0, count),
  tokens: tokens.slice(0, count),
})

/** The places by time. */
const orderOf = ({ at }: Columns, count: number): Uint32Array => {
  const timeAt = (place: number): number => at[place] as number
  return Uint32Array.from({ length: count }, (_, place) => place).toSorted((a, b) => timeAt(a) - timeAt(b) || a - b)
}

const inOrder = (columns: Columns, order: Uint32Array): Columns => {
  const made = newColumns(order.length)
  for (let to = 0; to < order.length; to += 1) {
    const from = order[to] as number
    made.at[to] = columns.at[from] as number
    made.model[to] = columns.model[from] as number
    made.priority[to] = columns.priority[from] as number
    made.caller[to] = columns.caller[from] as number
    made.tokens[to] = columns.tokens[from] as number
  }
  return made
}
