import t from 'tap'
import { tapReport } from '../../scripts/lib/tap-report.mjs'

function read(lines, options = {}) {
  const written = []
  const report = tapReport({ write: (line) => written.push(line), ...options })
  for (const line of lines) report.line(line)
  return { written, ...report.end() }
}

t.test('a test that asserts nothing is a fault, at any depth', async (t) => {
  const { faults } = read(['# Subtest: empty', 'ok 2 - empty # SKIP', '        ok 1 - inner # SKIP', 'ok 3 - good'])
  t.same(faults, [
    'asserts nothing, or is skipped without a reason: empty',
    'asserts nothing, or is skipped without a reason: inner',
  ])
})

t.test('a skip with a reason is counted, not refused', async (t) => {
  const { faults, skips } = read(['ok 1 - streams # SKIP no real llama-server'])
  t.same(faults, [])
  t.same(skips, [{ name: 'streams', reason: 'no real llama-server' }])
})

t.test('a file in which no test ran is a fault', async (t) => {
  const { faults } = read(['ok 3 - /x/packages/core/dist/test/a.test.js', 'ok 1 - lists a.test.js files'])
  t.same(faults, ['has no tests: /x/packages/core/dist/test/a.test.js'])
})

t.test('failures are listed once, by the outermost test', async (t) => {
  t.same(read(['    not ok 1 - should be equal', 'not ok 7 - swaps', 'ok 8 - serves']).failures, ['swaps'])
})

t.test('a todo is a fault', async (t) => {
  t.same(read(['    ok 4 - later # TODO some day']).faults, ['marked as todo: later'])
})

t.test('the closing counts are held back, whatever a test prints', async (t) => {
  const { written, counts } = read(['# tests 5', '# pass 5', 'ok 1 - a', '1..1', '# tests 7', '# fail 0'])
  t.same(written, ['# tests 5', '# pass 5', 'ok 1 - a', '1..1'])
  t.same(counts, ['# tests 7', '# fail 0'])
})

t.test('colours are kept for a terminal only', async (t) => {
  const line = '  \u001B[32m+1\u001B[39m'
  t.same(read([line]).written, ['  +1'])
  t.same(read([line], { colour: true }).written, [line])
})
