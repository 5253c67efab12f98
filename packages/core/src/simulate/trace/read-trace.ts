import * as z from 'zod'
import { LswapError } from '../../errors/failure.ts'
import { ANONYMOUS } from '../../ids.ts'
import { createCollector, type Collector } from './collector.ts'
import { generateTrace } from './generate.ts'
import { headSchema, type TraceHead } from './head.ts'
import type { Trace } from './trace.ts'

const whole = z.int().min(0).max(1_000_000_000)
const promptSchema = z
  .strictObject({ system: whole, systemTokens: whole, conversation: whole, tokens: whole })
  .refine(({ systemTokens, tokens }) => systemTokens <= tokens, { error: 'the system prompt is a part of the prompt' })

const rowSchema = z.strictObject({
  at: z.number().min(0).max(8_640_000_000_000),
  model: z.string().min(1),
  priority: z.int().min(-100).max(100).default(0),
  caller: z.string().min(1).default(ANONYMOUS),
  tokens: z.int().min(0).max(1_000_000_000).default(1),
  prompt: promptSchema.optional(),
})

/**
 * Reads a trace, one JSON object a line: first what it was made from, then the requests in order of arrival. With the
 * first line alone the requests are made from it again. Throws `invalid_trace` with the number of the line.
 */
export const readTrace = (text: string): Trace => {
  let head: TraceHead | undefined
  const rows = createCollector()
  const previous = { at: 0, count: 0 }
  for (const { number, line } of linesOf(text)) {
    if (head === undefined) head = parsed(headSchema, line, number)
    else addRow(rows, parsed(rowSchema, line, number), { previous, number })
  }
  if (head === undefined) throw invalid('the trace is empty', FIRST_LINE)
  if (previous.count > 0) return rows.finish(head)
  if (head.kind === 'recorded') throw invalid('line 1: a recorded trace needs a line for each request', FIRST_LINE)
  return generateTrace(head)
}

const FIRST_LINE =
  'the first line says what the trace is made from, as in {"kind": "abab", "seed": 1, "params": {"models": 2, "requests": 100, "gapMs": 500, "jitter": 0.5, "tokens": 200}}'

interface Place {
  readonly previous: { at: number; count: number }
  readonly number: number
}

const addRow = (rows: Collector, row: z.output<typeof rowSchema>, { previous, number }: Place): void => {
  if (row.at < previous.at)
    throw invalid(`line ${number}: it arrives at ${row.at}, before the line above it (${previous.at})`)
  previous.at = row.at
  previous.count += 1
  rows.add(row)
}

/** Lines that hold something, without a copy of the whole text. */
function* linesOf(text: string): Generator<{ number: number; line: string }> {
  let number = 0
  for (let from = 0; from < text.length; number += 1) {
    const feed = text.indexOf('\n', from)
    const to = feed === -1 ? text.length : feed
    const line = text.slice(from, to).trim()
    from = to + 1
    if (line !== '') yield { number: number + 1, line }
  }
}

const parsed = <Schema extends z.ZodType>(schema: Schema, line: string, number: number): z.output<Schema> => {
  const hint = number === 1 ? FIRST_LINE : undefined
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw invalid(`line ${number}: it is not JSON (${error instanceof Error ? error.message : String(error)})`, hint)
  }
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  const complaints = checked.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  throw invalid(`line ${number}: ${complaints.join('; ')}`, hint)
}

const invalid = (message: string, hint?: string): LswapError =>
  new LswapError({ code: 'invalid_trace', message, ...(hint === undefined ? {} : { hint }) })
