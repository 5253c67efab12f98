import { answersOf, both, there, whole } from './support/answers.ts'
import { assertSameRequest, assertSameResponse } from './support/same.ts'
import { readMessage, valueOf } from './support/message.ts'
import { answer, BODY, chunk, fixed, head, OK, post } from './support/requests.ts'
import { dial, each, startWays } from './support/ways.ts'

const interim = (bytes: string): string => bytes.slice(0, bytes.indexOf('HTTP/1.1 200'))

each('two pipelined requests: both arrive whole, and are answered in their order', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const { direct, routed } = await both(ways, async (port) => {
    const from = ways.engine.arrivals.length
    const client = await dial(port)
    await client.send(post(BODY, 'X-Nth: 1') + post(BODY, 'X-Nth: 2'))
    const arrivals = [await ways.engine.arrival(from), await ways.engine.arrival(from + 1)]
    const nth = (n: string) => arrivals.find(({ message }) => valueOf(message.fields, 'x-nth') === n)
    for (const n of ['1', '2']) await nth(n)?.wire.send(fixed(`answer ${n}`))
    await whole(client, 2)
    client.socket.destroy()
    return { requests: ['1', '2'].map((n) => nth(n)?.message), answers: answersOf(client) }
  })
  t.same(
    routed.answers.map(({ body }) => body.toString()),
    ['answer 1', 'answer 2'],
  )
  for (const n of [0, 1]) {
    assertSameRequest(t, { direct: there(direct.requests[n]), routed: there(routed.requests[n]) })
    assertSameResponse(t, { direct: there(direct.answers[n]), routed: there(routed.answers[n]) })
  }
})

each('requests one after the other on a connection', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const { direct, routed } = await both(ways, async (port) => {
    const client = await dial(port)
    for (const n of [1, 2, 3]) {
      const from = ways.engine.arrivals.length
      await client.send(post())
      await (await ways.engine.arrival(from)).wire.send(fixed(`answer ${n}`))
      await whole(client, n)
    }
    client.socket.destroy()
    return answersOf(client).map(({ body }) => body.toString())
  })
  t.same(routed, direct)
  t.same(routed, ['answer 1', 'answer 2', 'answer 3'])
})

each(
  'Connection: close of the client ends its connection after the answer, and is not told to the engine',
  async (t, how) => {
    const ways = await startWays(t, { client: how })
    const from = ways.engine.arrivals.length
    const client = await dial(ways.ports.routed)
    await client.send(post(BODY, 'Connection: close, X-Mine', 'X-Mine: for this connection only'))
    const { message, wire } = await ways.engine.arrival(from)
    await wire.send(OK)
    t.equal(await client.ended(), 'closed')
    t.match(answersOf(client), [{ start: 'HTTP/1.1 200 OK', fields: [] }])
    t.equal(valueOf(answersOf(client)[0]?.fields ?? [], 'connection'), 'close')
    t.equal(valueOf(message.fields, 'connection'), 'keep-alive')
    t.equal(valueOf(message.fields, 'x-mine'), undefined, 'a field that Connection names is for one connection')
  },
)

each('what a client sends behind its Connection: close is ignored, and its request answered', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const from = ways.engine.arrivals.length
  const client = await dial(ways.ports.routed)
  await client.send(post(BODY, 'Connection: close') + post())
  const { wire } = await ways.engine.arrival(from)
  await client.send('and this is no HTTP at all\r\n\r\n')
  await client.send(post())
  await ways.goRound()
  await wire.send(OK)
  t.equal(await client.ended(), 'closed')
  t.match(answersOf(client), [{ start: 'HTTP/1.1 200 OK' }])
  t.equal(ways.engine.arrivals.length, from + 1)
})

each('what comes behind a Connection: close in trailers ends the connection, behind the answer', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const chunked = `${head('Transfer-Encoding: chunked')}${chunk(BODY)}0\r\nConnection: close\r\n\r\n`
  for (const isAnswered of [false, true]) {
    const from = ways.engine.arrivals.length
    const client = await dial(ways.ports.routed)
    await client.send(isAnswered ? chunked : chunked + post())
    const { wire } = await ways.engine.arrival(from)
    await ways.goRound()
    await wire.send(OK)
    if (isAnswered) {
      await whole(client, 1)
      await client.send(post())
    }
    t.equal(await client.ended(), 'closed')
    t.match(answersOf(client), [{ start: 'HTTP/1.1 200 OK' }])
    t.equal(ways.engine.arrivals.length, from + 1)
  }
})

each('Connection: close of the engine does not end the connection of the client', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  for (const n of [1, 2]) {
    const from = ways.engine.arrivals.length
    await client.send(post())
    const { wire } = await ways.engine.arrival(from)
    await wire.send(fixed(`answer ${n}`, 'Connection: close'))
    wire.socket.end()
    await whole(client, n)
  }
  t.equal(client.ending(), undefined)
  t.equal(ways.engine.wires.length, 2, 'each on a connection of its own')
  client.socket.destroy()
})

each('Expect: 100-continue: the router answers it, the engine gets the request without', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  await client.send(head('Expect: 100-continue', `Content-Length: ${BODY.length}`))
  await client.until('100 Continue', () => client.bytes().toString('latin1') === 'HTTP/1.1 100 Continue\r\n\r\n')
  t.equal(ways.engine.arrivals.length, 0)
  await client.send(BODY)
  const { message, wire } = await ways.engine.arrival(0)
  await wire.send(OK)
  await whole(client, 1)
  client.socket.destroy()
  t.equal(message.body.toString('latin1'), BODY)
  t.equal(valueOf(message.fields, 'expect'), undefined)
  t.match(answersOf(client), [{ start: 'HTTP/1.1 200 OK', informations: ['HTTP/1.1 100 Continue'] }])
})

each('Expect: 100-continue behind a request that is not answered yet: 100 comes in its turn', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  // In the second the body comes along, and its answer is there first
  await client.send(post(BODY, 'X-Nth: 1') + post(BODY, 'X-Nth: 2', 'Expect: 100-continue'))
  const arrivals = [await ways.engine.arrival(0), await ways.engine.arrival(1)]
  const nth = (n: string) => arrivals.find(({ message }) => valueOf(message.fields, 'x-nth') === n)?.wire
  await nth('2')?.send(`${answer('200 OK', 'Transfer-Encoding: chunked')}${chunk('answer 2')}0\r\n\r\n`)
  await ways.goRound()
  await nth('1')?.send(fixed('answer 1'))
  await client.until('both', () => /answer 1[^]*answer 2\r\n0\r\n\r\n$/.test(client.bytes().toString('latin1')))
  client.socket.destroy()
  const text = client.bytes().toString('latin1')
  t.match(text, /answer 1HTTP\/1\.1 200 OK\r\n/)
  t.notMatch(text, '100 Continue', 'nor anywhere else')
})

each('1xx answers of the engine pass before the final one, with their fields', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const { direct, routed } = await both(ways, async (port) => {
    const from = ways.engine.arrivals.length
    const client = await dial(port)
    await client.send(post())
    const { wire } = await ways.engine.arrival(from)
    await wire.send(answer('103 Early Hints', 'Link: </a>; rel=preload', 'link: </b>'))
    await client.until('the hints, before there is an answer', () => client.bytes().includes('</b>\r\n\r\n'))
    await wire.send(answer('102 Processing') + answer('199 Odd', 'X-A: 1') + OK)
    await whole(client, 1)
    client.socket.destroy()
    return { response: there(answersOf(client)[0]), bytes: client.bytes().toString('latin1') }
  })
  assertSameResponse(t, { direct: direct.response, routed: routed.response })
  t.equal(interim(routed.bytes), interim(direct.bytes).replace('199 Odd', '199 '), 'a phrase means nothing')
})

each('100 of the engine is not passed, nor is any 1xx to a client of HTTP/1.0', async (t, how) => {
  const ways = await startWays(t, { client: how })
  for (const [n, version] of ['1.1', '1.0'].entries()) {
    const client = await dial(ways.ports.routed)
    await client.send(post().replace('HTTP/1.1', `HTTP/${version}`))
    const { wire } = await ways.engine.arrival(n)
    await wire.send(answer('100 Continue') + (version === '1.0' ? answer('103 Early Hints', 'Link: </a>') : '') + OK)
    await whole(client, 1)
    t.same(answersOf(client)[0]?.informations, [], version)
    client.socket.destroy()
  }
})

each('1xx answers to a pipelined request come when it is its turn', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  await client.send(post(BODY, 'X-Nth: 1') + post(BODY, 'X-Nth: 2'))
  const arrivals = [await ways.engine.arrival(0), await ways.engine.arrival(1)]
  const nth = (n: string) => arrivals.find(({ message }) => valueOf(message.fields, 'x-nth') === n)?.wire
  await nth('2')?.send(answer('103 Early Hints', 'Link: </2>') + fixed('answer 2'))
  await ways.goRound()
  t.equal(client.bytes().length, 0)
  await nth('1')?.send(fixed('answer 1'))
  await whole(client, 2)
  t.match(answersOf(client), [
    { informations: [], body: Buffer.from('answer 1') },
    { informations: ['HTTP/1.1 103 Early Hints'], body: Buffer.from('answer 2') },
  ])
  client.socket.destroy()
})

each('an upgrade that is not taken is an ordinary request; its fields are not for the engine', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const { direct, routed } = await both(ways, async (port) => {
    const from = ways.engine.arrivals.length
    const client = await dial(port)
    await client.send(
      post(BODY, 'X-A: 1', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'),
    )
    const { message, wire } = await ways.engine.arrival(from)
    await wire.send(OK)
    await whole(client, 1)
    client.socket.destroy()
    return { request: message, response: there(answersOf(client)[0]) }
  })
  assertSameResponse(t, { direct: direct.response, routed: routed.response })
  t.ok(routed.request.body.equals(direct.request.body))
  t.same(
    routed.request.fields.map(([name]) => name),
    ['Host', 'Connection', 'X-A', 'Content-Length'],
  )
})

each('a client of HTTP/1.0 gets the body of a chunked answer without chunks, until the close', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const client = await dial(ways.ports.routed)
  await client.send(post().replace('HTTP/1.1', 'HTTP/1.0'))
  const { message, wire } = await ways.engine.arrival(0)
  await wire.send(`${answer('200 OK', 'Transfer-Encoding: chunked')}${chunk('one')}${chunk('two')}0\r\nX-T: 1\r\n\r\n`)
  t.equal(await client.ended(), 'closed')
  const response = there(readMessage(client.bytes(), 'POST'))
  t.equal(message.start, 'POST /v1/chat/completions HTTP/1.1')
  t.same([response.framing, response.body.toString()], ['close', 'onetwo'])
})

each(
  'a client that closes its half has left: the request is given up, the engine sees its connection end',
  async (t, how) => {
    const ways = await startWays(t, { client: how })
    const client = await dial(ways.ports.routed)
    await client.send(post())
    const { wire } = await ways.engine.arrival(0)
    client.socket.end()
    await wire.ended()
    await client.ended()
    t.equal(client.bytes().length, 0, 'nothing is sent to who left')
  },
)
