import t from 'tap'
import { readMessage } from './support/message.ts'

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const read = (text: string) => readMessage(Buffer.from(HEAD + text, 'latin1'), 'GET')

// What every other test here reads with: it must end, whatever came
t.test('a chunk without a size is told, and not looked for for ever', async (t) => {
  for (const line of ['xyz', '', '-5', '0x5', ' 5', '5 5', 'fffffffff', 'NaN']) {
    t.throws(() => read(`3\r\nabc\r\n${line}\r\nabcde\r\n0\r\n\r\n`), { message: `no size of a chunk: "${line}"` })
  }
})

t.test('chunks are read in any spelling of their size, as far as they came', async (t) => {
  const whole = read('3\r\nabc\r\n0A;x="y"\r\n0123456789\r\n0\r\nX-A: 1\r\n\r\n')
  t.match(whole, { isComplete: true, trailers: [['X-A', '1']] })
  t.equal(whole?.body.toString(), 'abc0123456789')
  for (const text of ['3', '3\r\nab', '3\r\nabc\r', '3\r\nabc\r\n', '3\r\nabc\r\n0\r\n'])
    t.equal(read(text)?.isComplete, false)
})
