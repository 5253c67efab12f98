const verdict = (outcome, detail) => ({ outcome, detail })

/** The mutant itself is at fault and proves nothing. */
export const invalid = (detail) => verdict('INVALID', detail)

/**
 * Judges the test run of a mutant: killed by a failing assertion (of the named test, where it names one) or by
 * hanging the run, but not by a file that does not load.
 */
export function judgeRun({ exitCode, timedOut, failing, output }, name) {
  if (timedOut) return verdict('killed', 'the test hangs')
  if (exitCode === 0) return verdict('SURVIVED', 'the test passes')
  if (failing.length === 0) return invalid(`the test file does not run:\n${output.slice(-600).trim()}`)
  if (name === undefined || failing.includes(name)) return verdict('killed', '')
  return verdict('SURVIVED', `'${name}' does not fail, but ${failing.slice(0, 3).join('; ')}`)
}
