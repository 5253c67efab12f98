import { readFileSync } from 'node:fs'
import t from 'tap'
import { ERRORS, openAiType } from '../../src/errors/table.ts'

/** How docs/errors.md says what a client library is told. */
const ADVICE = { estimate: 'after `Retry-After`', no: 'no', silent: 'as the client likes' }

const page = readFileSync(new URL('../../../../../docs/errors.md', import.meta.url), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [code = '', status, exitCode, retry, meaning, remedy = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
    return {
      code: code.replaceAll('`', ''),
      facts: { status: Number(status), exitCode: Number(exitCode), retry, meaning },
      remedy,
    }
  })

t.test('every code of the table stands in docs/errors.md as it is, and no other', async (t) => {
  const inCode = Object.entries(ERRORS).map(([code, entry]) => [code, { ...entry, retry: ADVICE[entry.retry] }])
  t.same(Object.fromEntries(rows.map(({ code, facts }) => [code, facts])), Object.fromEntries(inCode))
  t.equal(rows.length, inCode.length, 'no code has two rows')
})

t.test('docs/errors.md says for each code what to do', async (t) => {
  t.same(
    rows.filter(({ remedy }) => !/^[A-Z].{15,}\.$/.test(remedy)).map(({ code }) => code),
    [],
  )
})

t.test('statuses, exit codes and advice are those that clients understand', async (t) => {
  for (const [code, { status, exitCode, retry }] of Object.entries(ERRORS)) {
    t.ok(status >= 400 && status < 600, `${code}: an HTTP status of errors`)
    t.ok((exitCode >= 1 && exitCode <= 7) || exitCode === 130, `${code}: an exit code of ours`)
    if (retry === 'estimate') t.ok([429, 503].includes(status), `${code}: only what passes by itself has a Retry-After`)
  }
})

t.test("a status gives OpenAI's error type", async (t) => {
  const types = [400, 401, 403, 404, 409, 413, 429, 500, 502, 503, 504].map((status) => openAiType(status))
  t.same(types, [
    'invalid_request_error',
    'authentication_error',
    'permission_error',
    'invalid_request_error',
    'invalid_request_error',
    'invalid_request_error',
    'rate_limit_error',
    'server_error',
    'server_error',
    'server_error',
    'server_error',
  ])
})
