import t from 'tap'
import { AnswerSample } from '../../../src/router/usage/sample.ts'

const fed = (...texts: readonly string[]): AnswerSample => {
  const sample = new AnswerSample()
  for (const text of texts) sample.add(Buffer.from(text))
  return sample
}

t.test('a short answer is there whole, however it was cut', async (t) => {
  t.equal(fed('{"us', 'age":1', '}').text(), '{"usage":1}')
  t.equal(fed().text(), '')
  const text = 'x'.repeat(9_000)
  t.equal(fed(...text.split('')).text(), text)
  t.equal(fed('a', 'b').chunks(), 2)
})

t.test('of a long one the begin and the end are kept, and no more than a bound', async (t) => {
  const sample = new AnswerSample()
  sample.add(Buffer.from('BEGIN'))
  let most = 0
  for (let count = 0; count < 20_000; count++) {
    sample.add(Buffer.from('.'.repeat(100)))
    if (count % 50 === 0) most = Math.max(most, sample.text().length)
  }
  sample.add(Buffer.from('END'))
  t.match(sample.text(), /^BEGIN\.+\n\.{8000,}END$/)
  t.ok(most < 21_000, `${most}`)
  t.equal(sample.chunks(), 20_002)
})

t.test('two parts that do not belong together are not read as one', async (t) => {
  const sample = new AnswerSample()
  sample.add(Buffer.from(`${' '.repeat(4_070)}"usage":{"prompt_tokens":1`))
  for (let count = 0; count < 400; count++) sample.add(Buffer.from(`${count % 10},`.repeat(50)))
  t.match(sample.text(), /"prompt_tokens":1\n\d,/)
})

t.test('of large pieces the same is kept as of small ones', async (t) => {
  const text = Array.from({ length: 9_000 }, (_, at) => `${at},`).join('')
  const cuts = [1, 700, 5_000, 30_000, 64 * 1024]
  for (const bytes of cuts) {
    const sample = new AnswerSample()
    for (let at = 0; at < text.length; at += bytes) sample.add(Buffer.from(text.slice(at, at + bytes)))
    const [begin, end = ''] = sample.text().split('\n')
    t.equal(begin, bytes < text.length ? text.slice(0, 4_096) : text, `the begin, of pieces of ${bytes}`)
    if (bytes < text.length) t.ok(end.length >= 8_192 && text.endsWith(end), `the end, of pieces of ${bytes}`)
  }
})
