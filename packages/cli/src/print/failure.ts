import { ERRORS, type Failure } from '@lswap/core/errors'
import { plain } from './plain.ts'
import type { Style } from './style.ts'

/** What to do about an error whose message brings no advice of its own. */
const HINTS: Partial<Record<Failure['code'], string>> = {
  unauthorized: 'give a key with --key-file FILE or $LSWAP_KEY_FILE',
  internal: 'this is a bug in lswap; please report it with what you did',
}

/** An error as a person reads it: what went wrong, then what to do. */
export const failureText = (failure: Failure, style: Style): string => {
  const hint = failure.hint ?? HINTS[failure.code]
  const lines = [`${style.red('error:')} ${plain(failure.message)}`]
  if (hint !== undefined) lines.push(`${style.bold('hint:')} ${plain(hint)}`)
  return `${lines.join('\n')}\n`
}

/** The same for programs: the shape of the router's own error answers. */
export const failureData = (failure: Failure): { error: { code: string; message: string; hint?: string } } => ({
  error: {
    code: failure.code,
    message: failure.message,
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
  },
})

export const exitCodeOf = (failure: Failure): number => ERRORS[failure.code].exitCode
