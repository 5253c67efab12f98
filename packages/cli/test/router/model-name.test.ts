import t from 'tap'
import { createModelScanner, type ModelScan } from '../../src/router/model-name.ts'

/** The verdict on a body in chunks of `size` bytes. */
const scan = (body: string, size = 65_536): ModelScan => {
  const bytes = Buffer.from(body)
  const scanner = createModelScanner()
  for (let at = 0; at < bytes.length; at += size) {
    const verdict = scanner.push(bytes.subarray(at, at + size))
    if (verdict.type !== 'more') return verdict
  }
  return scanner.end()
}

const SIZES = [1, 2, 3, 7, 65_536]

const found = (body: string): string | undefined => {
  const verdicts = SIZES.map((size) => scan(body, size))
  for (const verdict of verdicts) t.same(verdict, verdicts[0], `the same verdict for ${body} wherever it is cut`)
  const [verdict] = verdicts
  return verdict?.type === 'found' ? verdict.model : undefined
}

const failed = (body: string): string | undefined => {
  const verdicts = SIZES.map((size) => scan(body, size))
  for (const verdict of verdicts) t.equal(verdict.type, 'failed', `${body} fails wherever it is cut`)
  const [verdict] = verdicts
  return verdict?.type === 'failed' ? verdict.failure.code : undefined
}

t.test('finds model wherever it stands', async (t) => {
  t.equal(found('{"model":"a"}'), 'a')
  t.equal(found(' \r\n\t{ "x" : [1, -2.5e+10, {"model":"no"}], "model" : "b/c:q4" , "y":1}'), 'b/c:q4')
  t.equal(found('{"messages":[{"content":"say \\"model\\": \\\\"}],"model":"c"}'), 'c')
  t.equal(found('{"a":true,"b":false,"c":null,"d":0,"e":{},"f":[],"model":"d"}'), 'd')
  t.equal(found('{"model":""}'), '')
  t.equal(found('\ufeff {"model":"e"}'), 'e', 'behind a byte order mark')
})

t.test('reads escapes and characters of several bytes in key and value', async (t) => {
  t.equal(found('{"mod\\u0065l":"x\\u00e9\\n\\"\\\\"}'), 'xé\n"\\')
  t.equal(found('{"é":"漢字👩‍👩‍👧","model":"模型👍"}'), '模型👍')
})

t.test('stops at model: what follows is left to the engine', async (t) => {
  const scanner = createModelScanner()
  t.match(scanner.push(Buffer.from('{"model":"a", rubbish')), { type: 'found', model: 'a' })
  t.match(scanner.push(Buffer.from('more rubbish')), { type: 'found', model: 'a' })
  t.match(scanner.end(), { type: 'found', model: 'a' })
})

t.test('tells where the value lies, and stream when it came first', async (t) => {
  const body = '{"stream":true,"é":1,"model": "abc","x":1}'
  for (const size of SIZES) {
    const verdict = scan(body, size)
    t.match(verdict, { type: 'found', model: 'abc', stream: true })
    if (verdict.type !== 'found') return
    t.equal(Buffer.from(body).subarray(verdict.start, verdict.end).toString(), '"abc"')
  }
  t.match(scan('{"stream":false,"model":"a"}'), { stream: false })
  t.match(scan('{"stream":"yes","model":"a"}'), { stream: undefined })
  t.match(scan('{"model":"a","stream":true}'), { stream: undefined })
})

t.test('no model is model_missing', async (t) => {
  t.equal(failed('{}'), 'model_missing')
  t.equal(failed(' \ufeff{"model":"a"}'), 'invalid_json', 'a mark behind the begin')
  t.equal(failed('\ufeff\ufeff{"model":"a"}'), 'invalid_json')
  t.equal(failed('\ufeff'), 'invalid_json')
  t.equal(createModelScanner().push(Buffer.from([0xef, 0xbb, 0x7b])).type, 'failed', 'half a mark')
  t.equal(failed('{"messages":[{"model":"inside"}]}'), 'model_missing')
  t.equal(failed('{"Model":"a"}'), 'model_missing')
})

t.test('a model that is not text is model_missing', async (t) => {
  for (const value of ['1', 'null', 'true', '{}', '["a"]'])
    t.equal(failed(`{"model":${value}}`), 'model_missing', value)
  t.equal(failed(`{"model":"${'x'.repeat(9_000)}"}`), 'model_missing')
})

t.test('what is not a JSON object is invalid_json', async (t) => {
  const bodies = [
    ['', 'x', '[1]', '"model"', '5', 'null', '{', '{"model":"a', '{"model"'],
    ['{"a":1,}', '{"a" 1}', "{'model':'a'}", '{model:"a"}', '{"a":tru,"model":"a"}', '{"a":01,"model":"a"}'],
    ['{"a":[1}', '{"a":{]', '{"a":1 2}', '{"a":.5}', '{"a":1.}', '{"a":+1}', '{,}', '{"a":[1,]}', '{"a":}'],
    ['{"model":"a\\x"}', '{"model":"a\nb"}', '{"mod\\'],
  ]
  for (const body of bodies.flat()) t.equal(failed(body), 'invalid_json', body)
})

t.test('says which byte is wrong', async (t) => {
  for (const size of SIZES) {
    t.match(scan('{"a": nope}', size), { type: 'failed', failure: { message: /byte 7 / } })
  }
})

const nest = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)},"model":"m"}`

t.test('nesting is bounded and needs no stack', async (t) => {
  t.equal(found(nest(511)), 'm')
  t.equal(failed(nest(512)), 'invalid_json')
  t.equal(failed(`{"a":${'['.repeat(100_000)}`), 'invalid_json')
})

t.test('strings that end in backslashes or are cut inside an escape', async (t) => {
  for (let count = 0; count < 9; count++) {
    const value = '\\'.repeat(count)
    t.equal(found(JSON.stringify({ a: value, b: `"${value}"`, model: value })), value)
  }
})
