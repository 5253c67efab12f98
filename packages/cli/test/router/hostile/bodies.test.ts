import t from 'tap'
import { NO_FILTERS } from '@lswap/core'
import { model } from '../support/config.ts'
import { startHostileRig } from './support/rig.ts'

// Bodies of many megabytes, on machines that have other work too
t.setTimeout(240_000)

const MEGABYTE = 1_048_576
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const json = (text: string): string => `"x":${text},"model":"a"}`

const post = (path: string, body: Buffer, type = 'application/json'): Buffer =>
  Buffer.concat([
    latin1(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
    ),
    body,
  ])

/** What each is answered; 200 reaches the engine, byte for byte. */
const JSON_ROWS: readonly (readonly [name: string, expected: number, body: string])[] = [
  ['20 MB before the model', 200, `{${json(`"${'y'.repeat(20 * MEGABYTE)}"`)}`],
  ['a million brackets before the model', 400, `{"x":${'['.repeat(1_000_000)}`],
  ['a million braces before the model', 400, `{"x":${'{"a":'.repeat(1_000_000)}`],
  ['512 levels before the model', 200, `{${json('['.repeat(511) + ']'.repeat(511))}`],
  ['a million brackets behind the model are for the engine', 200, `{"model":"a","x":${'['.repeat(1_000_000)}`],
  ['100,000 keys', 200, `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":${at},`).join('')}"model":"a"}`],
  ['a key of a megabyte', 200, `{"${'k'.repeat(MEGABYTE)}":1,"model":"a"}`],
  ['a number of a megabyte', 200, `{${json('1'.repeat(MEGABYTE))}`],
  ['1e999999', 200, `{${json('1e999999')}`],
  ['invalid UTF-8 beside the model', 200, `{${json('"\xff\xc0\x80\xed\xa0\x80"')}`],
  ['invalid UTF-8 in the name', 404, '{"model":"a\xff"}'],
  ['a lone surrogate in the name', 404, '{"model":"\\ud800"}'],
  ['NUL in the name', 404, '{"model":"a\\u0000"}'],
  ['a raw control character in the name', 400, '{"model":"a\x01"}'],
  ['half an escape in the name', 400, '{"model":"\\u00"}'],
  ['a name of a megabyte', 400, `{"model":"${'a'.repeat(MEGABYTE)}"}`],
  ['a name of 8 kB', 404, `{"model":"${'b'.repeat(8_000)}"}`],
  ['a byte order mark', 200, '\xef\xbb\xbf{"model":"a"}'],
  ['UTF-16', 400, Buffer.from('{"model":"a"}', 'utf16le').toString('latin1')],
  ['a second model is for the engine, where no rule depends on it', 200, '{"model":"a","model":"f"}'],
  ['a second model where the body is edited', 400, '{"model":"f","model":"a"}'],
  ['a second model, escaped, where the body is edited', 400, '{"model":"f","\\u006dodel":"a"}'],
  ['the key itself escaped', 200, '{"\\u006d\\u006F\\u0064el":"\\u0061"}'],
  ['a model below the top', 400, '{"x":{"model":"a"}}'],
  ['model: null', 400, '{"model":null}'],
  ['model: list', 400, '{"model":["a"]}'],
  ['model: object', 400, '{"model":{"model":"a"}}'],
  ['a list', 400, '[{"model":"a"}]'],
  ['a string', 400, '"model"'],
  ['nothing', 400, ''],
  ['blanks for a megabyte', 400, ' '.repeat(MEGABYTE)],
  ['no end', 400, '{"x":1'],
  ['NaN', 400, '{"x":NaN,"model":"a"}'],
  ['a comment', 400, '{/**/"model":"a"}'],
  ['a trailing comma', 400, '{"x":1,}'],
  ['single quotes', 400, "{'model':'a'}"],
  ['__proto__ and constructor', 404, '{"__proto__":{"model":"a"},"constructor":1,"model":"__proto__"}'],
]

const part = (name: string, value: string): string =>
  `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const FORM = 'multipart/form-data; boundary=B'

const FORM_ROWS: readonly (readonly [name: string, expected: number, type: string, body: string])[] = [
  ['100,000 parts before the model', 200, FORM, `${part('x', '1').repeat(100_000)}${part('model', 'a')}--B--\r\n`],
  ['headers of a part without end', 400, FORM, `--B\r\n${'X-A: 1\r\n'.repeat(100_000)}`],
  ['one header of a part without end', 400, FORM, `--B\r\nX-A: ${'1'.repeat(MEGABYTE)}`],
  ['no boundary', 400, 'multipart/form-data', part('model', 'a')],
  ['an empty boundary', 400, 'multipart/form-data; boundary=""', part('model', 'a')],
  ['a boundary of a thousand characters', 400, `multipart/form-data; boundary=${'B'.repeat(1_000)}`, ''],
  ['another boundary', 400, 'multipart/form-data; boundary=C', `${part('model', 'a')}--B--\r\n`],
  ['no form', 400, 'application/json', '{"model":"a"}'],
  ['no model', 400, FORM, `${part('x', '1')}--B--\r\n`],
  ['a model that is a file', 400, FORM, `${part('model"; filename="x', 'a')}--B--\r\n`],
  ['a name of a megabyte', 400, FORM, `${part('model', 'a'.repeat(MEGABYTE))}--B--\r\n`],
  ['no end', 400, FORM, `${part('x', '1')}--B\r\nContent-Disp`],
  ['nothing but beginnings of boundaries', 400, FORM, '\r\n--'.repeat(300_000)],
  ['a megabyte of blanks behind a boundary', 400, FORM, `--B${' '.repeat(MEGABYTE)}`],
  ['bare line feeds', 400, FORM, `${part('model', 'a').replaceAll('\r\n', '\n')}--B--\n`],
]

/** Those that are large in each way; they come in other pieces over TLS. */
const OVER_TLS: ReadonlySet<string> = new Set([
  '20 MB before the model',
  'a million brackets before the model',
  '100,000 keys',
  'a name of a megabyte',
  '100,000 parts before the model',
  'headers of a part without end',
])

for (const secure of [false, true])
  t.test(
    `hostile bodies end in an error, or reach the engine as they are; nothing of them stays${secure ? ' (TLS)' : ''}`,
    async (t) => {
      const models = [model('a'), model('f', { filters: { ...NO_FILTERS, stripParams: ['x'] } })]
      const rig = await startHostileRig(t, { models, secure })
      t.ok(await rig.isServing())
      const chat = JSON_ROWS.map(([name, expected, body]) => ({
        name,
        expected,
        bytes: post('/v1/chat/completions', latin1(body)),
      }))
      const forms = FORM_ROWS.map(([name, expected, type, body]) => ({
        name,
        expected,
        bytes: post('/v1/audio/transcriptions', latin1(body), type),
      }))
      for (const { name, expected, bytes } of [...chat, ...forms].filter((row) => !secure || OVER_TLS.has(row.name))) {
        const before = rig.engine.requests.length
        const [told, isServing] = await Promise.all([rig.send(bytes, 'answered'), rig.isServing()])
        t.equal(told.status, expected, name)
        t.ok(isServing, `${name}: others are served`)
        if (expected !== 200) {
          t.match(JSON.parse(told.text), { error: { code: String, message: String }, src: 'lswap' }, name)
          t.ok(told.text.length < 10_000, `${name}: the answer is short`)
        }
        const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
        const isThere = rig.engine.requests.slice(before).some((request) => request.body.equals(body))
        t.equal(isThere, expected === 200, `${name}: at the engine`)
      }
      t.same(rig.engine.faults, [])
      await rig.isQuiet()
      t.same(rig.log.bugs(), [])
    },
  )
