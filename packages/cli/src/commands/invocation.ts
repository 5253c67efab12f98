import type { Failure } from '@lswap/core/errors'
import type { Io } from '../io.ts'
import type { ColorChoice, Style } from '../print/style.ts'

/** How a result is printed. */
export interface OutputChoice {
  readonly json: boolean
  readonly color: ColorChoice
}

/** What a command's work gets besides its options. */
export interface TaskContext {
  readonly io: Io
  /** For text on stdout. */
  readonly style: Style
  /** For text on stderr. */
  readonly errStyle: Style
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Tells a person how it goes: one line on stderr. */
  readonly say: (line: string) => void
  /** Tells of an error that does not end the task, on stderr. */
  readonly complain: (failure: Failure) => void
}

/** What a command found or did; one printer makes text or JSON of it. */
export interface Outcome {
  readonly data: unknown
  readonly text: string
  readonly exitCode: number
}

/** Ctrl-C at what goes on until then: the code tells it, and there is nothing to complain of. */
export const INTERRUPTED: Outcome = { data: {}, text: '', exitCode: 130 }

/** A command line that was understood: what to do, and how to print what comes of it. */
export interface Invocation {
  readonly output: OutputChoice
  /** Whether Ctrl-C aborts the task's signal; false: the task deals with signals itself. */
  readonly interruptible: boolean
  readonly task: (context: TaskContext) => Promise<Outcome>
}

/** Tells the parser which invocation the command line meant. */
export type Choose = (invocation: Invocation) => void
