import { bounded, failureDetails } from './failure-details.mjs'

const point = /^(?<indent> *)(?<outcome>not ok|ok) \d+ - (?<name>.*?)(?: # (?<directive>SKIP|TODO) ?(?<reason>.*))?$/
const count = /^# (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/
// oxlint-disable-next-line no-control-regex -- colours of tap's diffs, which Node's runner prints even into a file
const colours = /\u001B\[[0-9;]*m/g

/**
 * Reads the output of Node's runner line by line. Passes it on, holds the closing counts back so that they can be
 * printed last, and collects the tests that failed, each with what was said of it, and what the runner's exit code leaves
 * out: those that were skipped and those that check nothing.
 */
export function tapReport({ write, colour = false }) {
  const failures = []
  const skips = []
  const faults = []
  const details = failureDetails()
  let counts = []

  function inspect(text) {
    const found = point.exec(text)?.groups
    if (found === undefined) return details.line(text)
    const { indent, outcome, name, directive, reason } = found
    const isFailure = outcome === 'not ok' && directive === undefined
    if (isFailure) details.failed(text)
    if (indent === '') {
      const told = details.split()
      if (isFailure) failures.push({ name, told })
    }
    if (directive === 'TODO') faults.push(`marked as todo: ${name}`)
    else if (directive === 'SKIP' && reason) skips.push({ name, reason })
    else if (directive === 'SKIP') faults.push(`asserts nothing, or is skipped without a reason: ${name}`)
    // The runner names a file as a test only when no test ran in it.
    else if (outcome === 'ok' && indent === '' && /\.test\.m?js$/.test(name)) faults.push(`has no tests: ${name}`)
  }

  return {
    line(text) {
      const shown = colour ? text : text.replace(colours, '')
      if (count.test(shown)) {
        counts.push(shown)
        return
      }
      // Only the block that ends the output is the closing one: a test may print such lines too.
      for (const held of counts) write(held)
      counts = []
      write(shown)
      inspect(shown)
    },
    end: () => ({
      failures: failures.map(({ name, told }) => ({ name, details: bounded(told) })),
      skips,
      faults,
      counts,
    }),
  }
}
