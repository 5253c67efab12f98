import { type Failure, failureOf, LswapError } from '@lswap/core/errors'
import type { Io } from '../io.ts'
import { exitCodeOf, failureData, failureText } from '../print/failure.ts'
import { hasColor, styleOf } from '../print/style.ts'
import { write } from '../print/write.ts'
import type { Invocation, Outcome } from './invocation.ts'

/** Runs the task, prints what comes of it, and returns the exit code. */
export const carryOut = async (invocation: Invocation, io: Io): Promise<number> => {
  const { color, json } = invocation.output
  const interrupt = new AbortController()
  const release = invocation.interruptible ? io.onSignal('SIGINT', () => interrupt.abort()) : undefined
  const errStyle = styleOf(hasColor(color, io.stderr, io.env))
  const complaint = (failure: Failure): string => failureText(failure, errStyle)
  try {
    const outcome = await invocation.task({
      io,
      style: styleOf(hasColor(color, io.stdout, io.env)),
      errStyle,
      signal: interrupt.signal,
      say: (line) => io.stderr.write(`${line}\n`),
      complain: (failure) => io.stderr.write(complaint(failure)),
    })
    await print(outcome, json, io)
    return outcome.exitCode
  } catch (thrown) {
    const failure = failureOf(thrown)
    // A program that asked for JSON gets one document whatever happens; the person behind it gets the sentence.
    if (json) await write(io.stdout, `${JSON.stringify(failureData(failure))}\n`).catch(() => {})
    const stack = thrown instanceof Error && !(thrown instanceof LswapError) ? `${thrown.stack ?? ''}\n` : ''
    await write(io.stderr, complaint(failure) + stack).catch(() => {})
    return exitCodeOf(failure)
  } finally {
    release?.()
  }
}

const print = async (outcome: Outcome, json: boolean, io: Io): Promise<void> => {
  const text = json ? `${JSON.stringify(outcome.data)}\n` : outcome.text
  if (text !== '') await write(io.stdout, text)
}
