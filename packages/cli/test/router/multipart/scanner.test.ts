import t from 'tap'
import { boundaryOf } from '../../../src/router/multipart/boundary.ts'
import { createFieldScanner } from '../../../src/router/multipart/scanner.ts'
import type { ModelScan } from '../../../src/router/model-name.ts'

const scan = (body: string, size: number, isWhole = false): ModelScan => {
  const bytes = Buffer.from(body)
  const scanner = createFieldScanner('b0', { isWhole })
  for (let at = 0; at < bytes.length; at += size) {
    const verdict = scanner.push(bytes.subarray(at, at + size))
    if (verdict.type !== 'more') return verdict
  }
  return scanner.end()
}

/** What a test of tap has; only this much is needed of it. */
interface Test {
  same(found: unknown, wanted: unknown, message: string): boolean
}

/** The verdict, which must not depend on where the body is cut. */
const verdictOn = (t: Test, body: string, isWhole = false): ModelScan => {
  const verdict = scan(body, body.length + 1, isWhole)
  for (const size of [1, 2, 3, 5, 17]) t.same(scan(body, size, isWhole), verdict, `in pieces of ${size}`)
  return verdict
}

const found = (t: Test, body: string): string | undefined => {
  const verdict = verdictOn(t, body)
  return verdict.type === 'found' ? verdict.model : undefined
}

const failed = (t: Test, body: string): string | undefined => {
  const verdict = verdictOn(t, body)
  return verdict.type === 'failed' ? verdict.failure.code : undefined
}

const part = (disposition: string, content: string): string =>
  `--b0\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const file = part('name="file"; filename="x.wav"', 'RIFF\r\n--b\r\n--b1\r\n--b0x\r\n-- --b0 name="model"')

t.test('finds the field in any part, first, last or between', async (t) => {
  t.equal(found(t, `${part('name="model"', 'a')}${file}--b0--\r\n`), 'a')
  t.equal(found(t, `${file}${part('name="model"', 'org/größe:q4')}--b0--`), 'org/größe:q4')
  t.equal(found(t, `${file}${part('name=model', 'a')}${file}--b0--`), 'a')
  t.equal(found(t, `preamble\r\n${file}${part('name="x"', '')}${part('Name = "model"', 'b')}--b0--`), 'b')
  t.equal(found(t, `${part('name="model"', '')}--b0--`), '')
  t.equal(
    found(t, `${part('name="model"', 'a\r\n--b0x')}--b0--`),
    'a\r\n--b0x',
    'what only begins like a boundary is content',
  )
})

t.test('headers in any case and order, blanks behind a boundary, parts without headers', async (t) => {
  const typed = '--b0 \t\r\nContent-Type: text/plain\r\ncontent-disposition:form-data;name="model"\r\n\r\na\r\n'
  t.equal(found(t, `${typed}--b0--`), 'a')
  t.equal(found(t, `--b0\r\n\r\nname="model"\r\n${typed}--b0--`), 'a')
})

t.test('a file called model, and text that looks like the field, are none', async (t) => {
  t.equal(failed(t, `${part('name="model"; filename="m"', 'a')}--b0--`), 'model_missing')
  t.equal(failed(t, `${part('name="x\\"; name=\\"model"', 'a')}--b0--`), 'model_missing')
  t.equal(failed(t, `${part('filename="; name=model"; name="file"', 'a')}--b0--`), 'model_missing')
  t.equal(failed(t, `${part('name="Model"', 'a')}${part('name="model[]"', 'a')}--b0--`), 'model_missing')
  t.equal(failed(t, '--b0--'), 'model_missing')
})

t.test('a body that ends too soon is refused', async (t) => {
  for (const body of [
    '',
    '--b',
    '--b0\r\nContent-Dispo',
    `${file}--b0\r\n`,
    part('name="model"', 'a').slice(0, -2),
    file,
  ])
    t.equal(failed(t, body), 'invalid_request', body)
})

t.test('what must be kept has a bound: headers, the value', async (t) => {
  t.equal(failed(t, `--b0\r\nX: ${'x'.repeat(20_000)}`), 'invalid_request')
  t.equal(failed(t, `--b0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n\r\n--b0--`), 'invalid_request')
  t.equal(failed(t, part('name="model"', 'x'.repeat(9_000))), 'model_missing')
  t.equal(
    found(t, `${part('name="x"', 'x'.repeat(20_000))}${part('name="model"', 'x'.repeat(8_000))}--b0--`)?.length,
    8_000,
  )
})

t.test('a form that is read whole has one model', async (t) => {
  const model = part('name="model"', 'a')
  const end = `${file}--b0--\r\n`
  for (const body of [model + end, file + model + end, `${file}${model}--b0--`])
    t.match(verdictOn(t, body, true), { type: 'found', model: 'a', inForm: 'a' })
  for (const body of [model + part('name="model"', 'b') + end, model + file + model + end, model, model + file])
    t.match(verdictOn(t, body, true), { type: 'failed', failure: { code: 'invalid_request' } }, body)
  t.match(verdictOn(t, end, true), { type: 'failed', failure: { code: 'model_missing' }, isWhole: true })
})

t.test('the boundary is read of the Content-Type, quoted or not', async (t) => {
  t.equal(boundaryOf('multipart/form-data; boundary=abc'), 'abc')
  t.equal(boundaryOf('Multipart/Form-Data;charset=utf-8 ; BOUNDARY="a b:\\"c"'), 'a b:"c')
  for (const type of [
    undefined,
    'application/json',
    'multipart/mixed; boundary=a',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'x'.repeat(201)}`,
  ])
    t.match(boundaryOf(type), { code: 'invalid_request' }, String(type))
})
