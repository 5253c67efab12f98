import t from 'tap'
import { answer, CHUNKED, dial, REQUEST, startServer, type Taken } from './support/listener.ts'

/** How a request is taken whose body is 'abcdefghi', and comes in two pieces or in one. */
const UNREAD: Readonly<Record<string, { readonly isWhole: boolean; readonly take: (taken: Taken) => void }>> = {
  'nobody ever asks for it': { isWhole: false, take: ({ res }) => answer(res, 'early') },
  'somebody lets go of it behind the answer': {
    isWhole: false,
    take: ({ req, res }) => {
      req.on('data', () => {})
      res.on('close', () => req.pause())
      answer(res, 'early')
    },
  },
  'it was stopped before it came': {
    isWhole: true,
    take: ({ req, res }) => {
      req.on('data', () => {})
      req.pause()
      answer(res, 'early')
    },
  },
}

for (const [name, { isWhole, take }] of Object.entries(UNREAD)) {
  t.test(`a body that is not read, ${name}: the next request is served`, async (t) => {
    const { server, nth } = startServer(t, (taken, n) => void (n === 0 && take(taken)))
    const wire = await dial(t, server)
    await wire.send(`POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n${isWhole ? 'abcdefghi' : 'abc'}`)
    await wire.until('the answer', () => wire.bytes().includes('early'))
    await wire.send(`${isWhole ? '' : 'defghi'}${CHUNKED}`)
    answer((await nth(1)).res, 'late')
    await wire.until('the answer', () => wire.bytes().includes('late'))
    t.equal(wire.ending(), undefined)
  })
}

t.test('a body that was stopped before it came does not hide that its client leaves', async (t) => {
  const { server, nth, signal } = startServer(t, ({ req }) => req.pause())
  const wire = await dial(t, server)
  await wire.send(REQUEST)
  const taken = await nth(0)
  wire.socket.end()
  t.ok(await signal.until('it left', () => (taken.wentAway ? true : undefined)))
})

t.test('a body that is thrown away only once it has begun to come is read to its end', async (t) => {
  const { server, nth } = startServer(t)
  const wire = await dial(t, server)
  await wire.send('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc')
  const { req, res } = await nth(0)
  req.on('end', () => answer(res, 'ok'))
  req.resume()
  await wire.send('defghi')
  await wire.until('the answer', () => wire.bytes().includes('ok'))
  t.ok(req.complete)
})
