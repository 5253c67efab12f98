import type { Trace, TraceRow } from './trace.ts'

/** The trace as a file with a line for each request; `readTrace` gives the same back. */
export const formatTrace = (trace: Trace): string => {
  const lines = [JSON.stringify(trace.head)]
  for (let place = 0; place < trace.length; place += 1) lines.push(JSON.stringify(rowAt(trace, place)))
  return `${lines.join('\n')}\n`
}

/** One request of a trace. */
export const rowAt = (trace: Trace, place: number): TraceRow => ({
  at: trace.at[place] as number,
  model: trace.models[trace.model[place] as number] as string,
  priority: trace.priority[place] as number,
  caller: trace.callers[trace.caller[place] as number] as string,
  tokens: trace.tokens[place] as number,
  ...(trace.prompts?.[place] === undefined ? {} : { prompt: trace.prompts[place] }),
})
