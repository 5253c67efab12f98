import t from 'tap'
import { createReport, formatIssue, formatPath } from '../../src/config/issue.ts'
import { sourcesOf } from '../../src/config/sources.ts'

const place = { file: 'c.yaml', line: 3, column: 5, endLine: 3, endColumn: 9 } as const

t.test('an issue is one line with place, path, message and suggestion', async (t) => {
  t.equal(
    formatIssue({ ...place, severity: 'error', path: 'models.a.tll', message: 'unknown key', suggestion: 'ttl' }),
    'c.yaml:3:5: error: models.a.tll: unknown key (did you mean ttl?)',
  )
  t.equal(formatIssue({ ...place, severity: 'warning', path: '', message: 'm' }), 'c.yaml:3:5: warning: m')
})

t.test('text from the file can not make lines or colours of its own', async (t) => {
  const line = formatIssue({ ...place, severity: 'error', path: 'a', message: 'x\ny\r\u001b[31mz\u0085\u2028' })
  t.equal(line, 'c.yaml:3:5: error: a: x y  [31mz  ')
})

t.test('a path quotes what is more than a word', async (t) => {
  t.equal(formatPath(['models', 'tiny', 'cmd']), 'models.tiny.cmd')
  t.equal(formatPath(['models', 'llama 3:8b/q4', 'aliases', 0]), 'models["llama 3:8b/q4"].aliases[0]')
  t.equal(formatPath(['a b']), '["a b"]')
  t.equal(formatPath([]), '')
})

t.test('issues come in the order of the file, and at most a thousand of a kind', async (t) => {
  const report = createReport(sourcesOf([{ file: 'c.yaml', text: 'key: 1234\n'.repeat(3_000) }]))
  t.same(report.issues(), [])
  for (let line = 1500; line > 0; line -= 1) report.warning({ at: line * 10, path: [], message: 'w' })
  t.notOk(report.hasErrors())
  report.error({ at: 12, path: ['b'], message: 'e' })
  report.error({ at: 11, path: ['a'], message: 'e' })
  t.ok(report.hasErrors())
  const issues = report.issues()
  t.equal(issues.length, 1003)
  t.same(
    issues.slice(0, 2).map(({ path }) => path),
    ['a', 'b'],
  )
  t.same(issues.at(-1)?.message, '500 more')
  t.same(
    issues.slice(0, -1).map(({ line, column }) => line * 100 + column),
    issues
      .slice(0, -1)
      .map(({ line, column }) => line * 100 + column)
      .toSorted((a, b) => a - b),
  )
})
