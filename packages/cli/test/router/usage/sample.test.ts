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
  sample.add(Buffer.from(`${' '.repeat(5_000)}"usage":{"prompt_tokens":1`))
  for (let count = 0; count < 400; count++) sample.add(Buffer.from(`${count % 10},`.repeat(50)))
  t.match(sample.text(), /"prompt_tokens":1\n\d,/)
})
