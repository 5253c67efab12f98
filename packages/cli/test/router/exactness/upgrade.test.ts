import { answersOf, both, there, whole } from './support/answers.ts'
import { readMessage, valueOf } from './support/message.ts'
import { answer, BODY, fixed, head, OK, post } from './support/requests.ts'
import { assertSameRequest, assertSameResponse } from './support/same.ts'
import { dial, each, startWays } from './support/ways.ts'
import { until } from '../support/ask.ts'
import { FIELDS, SWITCH, BYTES, ask, switchOver, assertSwitched } from './support/switched.ts'

each('a switch of protocols passes with its fields, and all bytes both ways', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const { direct, routed } = await both(ways, async (port) => {
    const it = await switchOver(ways, port)
    await it.engine.send(BYTES)
    await it.client.send(`${BYTES}GET / HTTP/1.1\r\n\r\n`)
    await it.engine.until('what the client said', () => it.atEngine().endsWith('\r\n\r\n'))
    await it.engine.send('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    await it.client.until('what the engine said', () => it.atClient().endsWith('0\r\n\r\n'))
    it.client.socket.destroy()
    return it
  })
  assertSwitched(t, direct, routed)
  t.equal(routed.atClient(), direct.atClient())
  t.equal(routed.atEngine(), direct.atEngine())
  t.same(ways.rig.log.bugs(), [])
})

each('what comes right behind the heads is not lost, on either side', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const { direct, routed } = await both(ways, async (port) => {
    const it = await switchOver(ways, port, 'early', BYTES)
    await it.client.send(' and late')
    await it.engine.until('both', () => it.atEngine().endsWith(' and late'))
    await it.client.until('all', () => it.atClient().length >= BYTES.length)
    it.client.socket.destroy()
    return it
  })
  assertSwitched(t, direct, routed)
  t.equal(routed.atEngine(), 'early and late')
  t.equal(routed.atClient(), BYTES)
})

each('a head of 101 that comes in single bytes', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  await client.send(ask(ways, ways.ports.routed))
  const { wire } = await ways.engine.arrival(0)
  for (const byte of `${SWITCH}frames`) await wire.send(Buffer.from(byte, 'latin1'))
  await client.until('all', () => client.bytes().toString('latin1').endsWith('\r\n\r\nframes'))
  t.ok(client.bytes().toString('latin1').startsWith('HTTP/1.1 101 Go Ahead\r\nupgrade: websocket\r\n'))
  client.socket.destroy()
})

each('1xx answers before the 101 pass', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  await client.send(ask(ways, ways.ports.routed))
  const { wire } = await ways.engine.arrival(0)
  await wire.send(answer('103 Early Hints', 'Link: </a>') + SWITCH)
  await client.until('both', () => client.bytes().includes('101 Go Ahead'))
  t.match(
    client.bytes().toString('latin1'),
    /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>\r\n\r\nHTTP\/1\.1 101 Go Ahead\r\n/,
  )
  client.socket.destroy()
})

each('an upgrade that the engine refuses is answered like others, and its connection ends', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const refusals = [
    OK,
    answer('403 Forbidden', 'Content-Length: 3') + 'no!',
    answer('426 Upgrade Required', 'Upgrade: x'),
  ]
  for (const refusal of refusals) {
    const { direct, routed } = await both(ways, async (port) => {
      const from = ways.engine.arrivals.length
      const client = await dial(port)
      await client.send(`${ask(ways, port)}early`)
      const { message, wire } = await ways.engine.arrival(from)
      await wire.send(refusal)
      if (refusal.includes('426')) wire.socket.end()
      else await whole(client, 1)
      if (port === ways.ports.routed) t.equal(await client.ended(), 'closed')
      else if (refusal.includes('426')) await client.ended()
      client.socket.destroy()
      return { request: message, response: there(readMessage(client.bytes(), 'GET')) }
    })
    assertSameRequest(t, { direct: direct.request, routed: routed.request })
    // It is for one connection, as in every answer but 101
    const fields = direct.response.fields.filter(([name]) => name !== 'Upgrade')
    assertSameResponse(t, { direct: { ...direct.response, fields }, routed: routed.response })
  }
})

each('neither side is faster than the other takes it, and nothing is lost', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const it = await switchOver(ways, ways.ports.routed)
  const SIZE = 32 * 1024 * 1024
  for (const [from, to] of [
    [it.engine, it.client],
    [it.client, it.engine],
  ] as const) {
    to.socket.pause()
    from.socket.write(Buffer.alloc(SIZE, 'x'))
    for (let round = 0; round < 20; round += 1) await ways.goRound()
    t.ok(from.socket.writableLength > 0, 'held up')
    to.socket.removeAllListeners('data')
    let got = 0
    to.socket.on('data', (chunk: Buffer) => {
      got += chunk.length
    })
    to.socket.resume()
    await until('all of it', () => got >= SIZE)
    t.equal(got, SIZE)
  }
  it.client.socket.destroy()
})

each(
  'an offer that is not for the engine is not taken, wherever the request goes, and what follows is read',
  async (t, how) => {
    const ways = await startWays(t, { client: how })
    const client = await dial(ways.ports.routed)
    const offer = ['Connection: Upgrade', 'Upgrade: websocket']
    await client.send(
      post(BODY, ...offer) + head(...offer, 'Transfer-Encoding: chunked') + `${BODY.length.toString(16)}\r\n`,
    )
    await client.send(`${BODY}\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n${offer.join('\r\n')}\r\n\r\n`)
    for (const n of [0, 1]) {
      const { message, wire } = await ways.engine.arrival(n)
      t.equal(message.body.toString('latin1'), BODY)
      t.equal(valueOf(message.fields, 'upgrade'), undefined)
      await wire.send(fixed(`answer ${n}`))
    }
    await whole(client, 3)
    t.same(
      answersOf(client).map(({ body }) => body.toString()),
      ['answer 0', 'answer 1', 'OK'],
    )
    client.socket.destroy()
  },
)

each('an upgrade behind a request that is not answered yet waits for that answer', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  await client.send(`${post()}${ask(ways, ways.ports.routed)}early`)
  const first = await ways.engine.arrival(0)
  await first.wire.send(OK)
  const second = await ways.engine.arrival(1)
  await second.wire.send(SWITCH)
  await second.wire.until('early', () => second.wire.bytes().toString('latin1').endsWith('early'))
  await client.until('both', () => client.bytes().includes('101 Go Ahead'))
  t.ok(client.bytes().indexOf('{"ok":true}') < client.bytes().indexOf('101 Go Ahead'))
  client.socket.destroy()
})

each('routes that name a model in their query pass an upgrade too, others do not', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  await client.send(['GET /slots?model=a HTTP/1.1', ...FIELDS, '', ''].join('\r\n'))
  const { message, wire } = await ways.engine.arrival(0)
  t.equal(message.start, 'GET /slots?model=a HTTP/1.1')
  await wire.send(SWITCH)
  await client.until('the 101', () => client.bytes().includes('101 Go Ahead'))
  client.socket.destroy()
  const own = await dial(ways.ports.routed)
  await own.send(['GET /v1/models HTTP/1.1', ...FIELDS, '', ''].join('\r\n'))
  await whole(own, 1)
  t.match(answersOf(own)[0]?.start, ' 200 ')
  own.socket.destroy()
})
