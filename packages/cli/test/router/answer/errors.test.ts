import t from 'tap'
import { ERRORS, type ErrorCode, type Failure } from '@lswap/core'
import { errorBody, messageOf, retryHeaders } from '../../../src/router/answer/error-body.ts'
import { anthropicBody, errorText } from '../../../src/router/answer/error-text.ts'
import { createEventStreamTail } from '../../../src/router/answer/stream-error.ts'

const failure = (code: ErrorCode, more: Partial<Failure> = {}): Failure => ({ code, message: 'It failed.', ...more })

t.test('the message carries the hint, since clients show nothing else', async (t) => {
  t.equal(messageOf(failure('internal')), 'It failed.')
  t.equal(messageOf(failure('internal', { hint: 'Try this.' })), 'It failed. Try this.')
  t.equal(messageOf({ code: 'internal', message: 'it failed', hint: 'try this' }), 'it failed: try this')
})

t.test('the type follows the status', async (t) => {
  t.equal(errorBody(failure('unauthorized')).error.type, 'authentication_error')
  t.equal(errorBody(failure('forbidden')).error.type, 'permission_error')
  t.equal(errorBody(failure('queue_full')).error.type, 'rate_limit_error')
  t.equal(errorBody(failure('model_impossible')).error.type, 'invalid_request_error')
  t.equal(errorBody(failure('start_timeout')).error.type, 'server_error')
})

t.test('429 and 503 tell when to come back, or not to', async (t) => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const headers = retryHeaders(failure(code as ErrorCode))
    if (status === 429 || status === 503) t.not(Object.keys(headers).length, 0, code)
    if (Object.keys(headers).length > 0) t.ok([409, 429, 503].includes(status), code)
  }
  t.same(retryHeaders(failure('queue_full', { retryAfterMs: 12_001 })), { 'Retry-After': '13' })
  t.same(retryHeaders(failure('queue_full', { retryAfterMs: 0 })), { 'Retry-After': '1' })
  t.same(retryHeaders(failure('queue_full')), { 'Retry-After': '5' })
  t.same(retryHeaders(failure('unloaded', { retryAfterMs: 9 })), { 'x-should-retry': 'false' })
})

t.test('who asks for a broken model hears when it is tried again', async (t) => {
  t.same(retryHeaders(failure('start_failed')), {})
  t.same(retryHeaders(failure('start_failed', { retryAfterMs: 1_400 })), { 'Retry-After': '2' })
})

t.test('an error event stands alone, whatever the engine left unfinished', async (t) => {
  const cases = [
    [[], true],
    [['data: 1\n\n'], true],
    [['data: 1\r\n', '\r\n'], true],
    [['data: 1\n', '\n'], true],
    [['a', 'b', 'c', '\n', '\n'], true],
    [['data: 1\n'], false],
    [['data: 1\n\ndata: {"x'], false],
  ] as const
  for (const [chunks, isBetween] of cases) {
    const tail = createEventStreamTail('/v1/completions')
    for (const chunk of chunks) tail.add(Buffer.from(chunk))
    const text = tail.errorEvent(failure('upstream_died'))
    t.equal(text.startsWith('event: error\ndata: {'), isBetween, JSON.stringify(chunks))
    t.equal(text.startsWith('\n\nevent: error\ndata: {'), !isBetween)
    t.match(text, /\}\n\n$/)
  }
})

t.test('clients of Anthropic get errors in their shape, and nobody else', async (t) => {
  const told = failure('model_not_found', { hint: 'Look.' })
  const expected = {
    type: 'error',
    error: { type: 'not_found_error', message: 'It failed. Look.', code: 'model_not_found' },
    src: 'lswap',
  }
  for (const path of ['/v1/messages', '/v1/messages/count_tokens', '/v/messages', '/v/v1/messages', '/v1/messages/x'])
    t.same(JSON.parse(errorText(path, told)), expected, path)
  for (const path of ['/v1/messagesx', '/messages', '/v1/chat/completions', '/x/v1/messages'])
    t.same(JSON.parse(errorText(path, told)), errorBody(told), path)
})

const typeOf = (code: ErrorCode): unknown => anthropicBody(failure(code)).error.type

t.test("the type of Anthropic's errors follows the status", async (t) => {
  t.equal(typeOf('invalid_json'), 'invalid_request_error')
  t.equal(typeOf('unauthorized'), 'authentication_error')
  t.equal(typeOf('forbidden'), 'permission_error')
  t.equal(typeOf('body_too_large'), 'request_too_large')
  t.equal(typeOf('queue_full'), 'rate_limit_error')
  t.equal(typeOf('evicted'), 'overloaded_error')
  t.equal(typeOf('start_timeout'), 'timeout_error')
  t.equal(typeOf('upstream_died'), 'api_error')
  t.equal(typeOf('model_impossible'), 'invalid_request_error')
})
