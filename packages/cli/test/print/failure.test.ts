import { ERRORS, type ErrorCode, type Failure } from '@lswap/core'
import t from 'tap'
import { exitCodeOf, failureData, failureText } from '../../src/print/failure.ts'
import { styleOf } from '../../src/print/style.ts'

const PLAIN = styleOf(false)
const FAILURE: Failure = { code: 'model_not_found', message: 'No model "x".', hint: 'try "y"' }

t.test('an error is a line, and a second one with what to do', (t) => {
  t.equal(failureText(FAILURE, PLAIN), 'error: No model "x".\nhint: try "y"\n')
  t.equal(failureText({ code: 'timed_out', message: 'Late.' }, PLAIN), 'error: Late.\n')
  t.match(failureText({ code: 'unauthorized', message: 'No key.' }, PLAIN), /hint: .*--key-file/)
  t.end()
})

t.test('what an engine printed can not steer the terminal', (t) => {
  const text = failureText({ code: 'start_failed', message: 'log:\n\u001B]0;title\u0007' }, PLAIN)
  t.equal(text, 'error: log:\n\\x1b]0;title\\x07\n')
  t.end()
})

t.test('programs get the shape of the router’s own errors', (t) => {
  t.same(failureData(FAILURE), { error: { code: 'model_not_found', message: 'No model "x".', hint: 'try "y"' } })
  t.end()
})

t.test('every code of the table ends a command with a documented exit code', (t) => {
  const documented = new Set([1, 2, 3, 4, 5, 6, 7, 130])
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    t.ok(documented.has(exitCodeOf({ code, message: '' })), code)
  }
  t.end()
})
