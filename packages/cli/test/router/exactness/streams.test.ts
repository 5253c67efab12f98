import { answer, chunk, post } from './support/requests.ts'
import { assertSame } from './support/same.ts'
import { each, startWays } from './support/ways.ts'

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

const EVENTS = answer('200 OK', 'Content-Type: text/event-stream', 'Transfer-Encoding: chunked')
const FRAMES: readonly (readonly [name: string, frames: string])[] = [
  ['\\r\\n', utf8('data: {"é":"→"}\r\n\r\n: 😀\r\n\r\ndata: [DONE]\r\n\r\n')],
  ['\\n', utf8('id: 1\ndata: a\ndata: ñ\n\ndata: 漢\n\n')],
  ['\\r', utf8('data: ü\r\rdata: [DONE]\r\r')],
]

each('an event stream passes byte for byte, wherever it is cut, and each piece at once', async (t, how) => {
  const ways = await startWays(t, { client: how })
  for (const [name, frames] of FRAMES) {
    await t.test(`lines that end with ${name}, in single bytes`, async (t) => {
      const pieces = frames.split('').map(chunk)
      await assertSame(t, ways, { name, request: [post()], answer: [EVENTS, ...pieces, '0\r\n\r\n'] })
    })
    await t.test(`lines that end with ${name}, cut once at every place`, async (t) => {
      for (let at = 1; at < frames.length; at += 1) {
        const pieces = [chunk(frames.slice(0, at)), `${chunk(frames.slice(at))}0\r\n\r\n`]
        const { response } = await assertSame(t, ways, { name, request: [post()], answer: [EVENTS, ...pieces] })
        t.equal(response?.body.toString('latin1'), frames)
      }
    })
  }
  await t.test('frames that are cut within chunks, with the framing itself', async (t) => {
    const whole = FRAMES.map(([, frames]) => chunk(frames)).join('')
    const pieces = whole.match(/[^]{1,7}/g) ?? []
    await assertSame(t, ways, { name: 'cut', request: [post()], answer: [EVENTS, ...pieces, '0\r\n\r\n'] })
  })
  t.same(ways.rig.log.bugs(), [])
})
