import type { CallerId, ModelId } from '../../ids.ts'
import type { TraceHead } from './head.ts'
import type { Prompt } from './prompt.ts'

/** Requests in order of arrival, in columns: a million of them must cost megabytes and not objects. */
export interface Trace {
  readonly head: TraceHead
  readonly models: readonly ModelId[]
  readonly callers: readonly CallerId[]
  readonly length: number
  /** Milliseconds from the start. */
  readonly at: Float64Array
  /** Places in `models`. */
  readonly model: Int32Array
  readonly priority: Int8Array
  /** Places in `callers`. */
  readonly caller: Int32Array
  readonly tokens: Int32Array
  /** By what priority statistics count a request; not always what the scheduler is told. */
  readonly countedAs: Int8Array
  /** Absent: nothing is known of prompts, and reading them takes no time. */
  readonly prompts?: readonly (Prompt | undefined)[]
}

/** One request as a person reads it; a line of a trace file. */
export interface TraceRow {
  readonly at: number
  readonly model: string
  readonly priority: number
  readonly caller: string
  readonly tokens: number
  readonly prompt?: Prompt | undefined
}

/** The same requests for a scheduler that hears of no priorities; they are still counted by those that they had. */
export const withoutPriorities = (trace: Trace): Trace => ({ ...trace, priority: new Int8Array(trace.length) })
