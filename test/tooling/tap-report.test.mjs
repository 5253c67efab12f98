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
  const { failures } = read(['    not ok 1 - should be equal', 'not ok 7 - swaps', 'ok 8 - serves'])
  t.same(
    failures.map(({ name }) => name),
    ['swaps'],
  )
})

t.test('a failure comes with what the assertions inside it said, and nothing of other tests', async (t) => {
  const { failures } = read([
    '    not ok 1 - seen before # TODO known',
    'ok 1 - swaps slowly',
    '    not ok 1 - should be equal',
    '      ---',
    '      error: |-',
    '        +2',
    '          ...',
    '      ...',
    '    ok 2 - other',
    '      ---',
    '      duration_ms: 0',
    '      ...',
    'not ok 2 - swaps',
    '  ---',
    "  failureType: 'subtestsFailed'",
    "  error: '1 subtest failed'",
    '  ...',
    'not ok 3 - /x/crash.test.js',
    '  ---',
    "  error: 'test failed'",
    '  ...',
    'ok 4 - serves',
  ])
  t.same(failures, [
    {
      name: 'swaps',
      details: ['    not ok 1 - should be equal', '      error: |-', '        +2', '          ...'],
    },
    { name: '/x/crash.test.js', details: ['not ok 3 - /x/crash.test.js', "  error: 'test failed'"] },
  ])
})

t.test('a failure that says much says the beginning of it', async (t) => {
  const many = Array.from({ length: 50 }, (_, place) => `    line ${place}${'.'.repeat(1_000)}`)
  const { failures } = read(['not ok 1 - swaps', '  ---', ...many, '  ...'])
  t.equal(failures[0].details.length, 31)
  t.match(failures[0].details[29], /line 28\.+…$/)
  t.equal(failures[0].details[29].length, 300)
  t.equal(failures[0].details[30], '… and 21 lines more, further up')
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
