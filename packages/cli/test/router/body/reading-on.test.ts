import t from 'tap'
import { answerJson, fail } from '../support/answers.ts'
import { until } from '../support/ask.ts'
import type { FakeForward } from '../support/fake-agent.ts'
import { answerHash, bodyFor, gate, LARGE, MIB, ownTemporaryFolder, passing, sha, start } from './support.ts'

t.beforeEach(ownTemporaryFolder)

t.test('an engine that goes on gets the body as it was sent', async (t) => {
  const chunked = Buffer.concat([Buffer.from(`${LARGE.length.toString(16)}\r\n`), LARGE, Buffer.from('\r\n0\r\n\r\n')])
  for (const [head, bytes] of [
    [`Content-Length: ${LARGE.length}`, LARGE],
    ['Transfer-Encoding: chunked', chunked],
  ] as const) {
    const forwards: FakeForward[] = []
    const { clock, send, inFiles } = await start(t, false, { answer: (forward) => void forwards.push(forward) })
    const client = await send(bytes, undefined, head)
    let said = ''
    client.socket.on('data', (chunk) => (said += String(chunk)))
    await passing(clock, 'it is read on', () => client.sent() > 16 * MIB)
    const [forward] = forwards
    if (forward !== undefined) void answerHash(forward)
    await passing(clock, 'it is answered', () => said.includes('sha'))
    t.match(said, `"sha":"${sha(LARGE)}"`)
    t.equal(await inFiles(), 0)
  }
})

t.test('an engine that takes some, stops and goes on, again and again', async (t) => {
  const pieces: Buffer[] = []
  let bytes = 0
  const { clock, send, inFiles } = await start(t, false, {
    answer: (forward) => {
      const { rest, held } = forward.request.body
      pieces.push(...held.map((piece) => Buffer.from(piece)))
      rest?.on('data', (piece: Buffer) => {
        pieces.push(piece)
        bytes += piece.length
        // A quick one in between, so that the file is read to its end and begun anew
        if (bytes % (10 * MIB) >= piece.length) return
        rest.pause()
        clock.setTimer(clock.now() + 2_500, () => rest.resume())
      })
      rest?.on('end', () => answerJson({ sha: sha(Buffer.concat(pieces)) })(forward))
    },
  })
  const client = await send()
  let said = ''
  client.socket.on('data', (chunk) => (said += String(chunk)))
  await passing(clock, 'it is answered', () => said.includes('sha'))
  t.match(said, `"sha":"${sha(LARGE)}"`)
  t.equal(await inFiles(), 0)
})

t.test('a body that was read on is sent again from its start', async (t) => {
  const { load, open } = gate()
  const forwards: FakeForward[] = []
  const { clock, send, inFiles } = await start(t, false, {
    load,
    answer: (forward) => {
      if (forwards.push(forward) > 1) void answerHash(forward)
    },
  })
  const client = await send()
  let said = ''
  client.socket.on('data', (chunk) => (said += String(chunk)))
  await client.hasSent(8 * MIB)
  open()
  await until('it is forwarded', () => forwards.length === 1)
  const before = await inFiles()
  await passing(clock, 'more of it is read', () => client.sent() > before + 16 * MIB || client.sent() === LARGE.length)
  const [first] = forwards
  if (first !== undefined) fail(first, 'upstream_died')
  await passing(clock, 'it is answered', () => said.includes('sha'))
  t.match(said, `"sha":"${sha(LARGE)}"`)
})

t.test('what need not lie in files takes half of their room and no more; its client is held back', async (t) => {
  const body = bodyFor('a', 40 * MIB)
  for (const [disk, most] of [
    [8 * MIB, 0],
    [36 * MIB, 18 * MIB],
  ] as const) {
    const forwards: FakeForward[] = []
    const { clock, send, inFiles } = await start(t, false, {
      limits: { waitingBodyDisk: disk },
      answer: (forward) => void forwards.push(forward),
    })
    const client = await send(body)
    let said = ''
    client.socket.on('data', (chunk) => (said += String(chunk)))
    await until('it is forwarded', () => forwards.length === 1)
    let steps = 0
    await passing(clock, 'a while has passed', () => (steps += 1) > 100)
    t.ok((await inFiles()) <= most)
    t.ok(client.sent() < body.length)
    const [forward] = forwards
    if (forward !== undefined) void answerHash(forward)
    await passing(clock, 'it is answered', () => said.includes('sha'))
    t.match(said, `"sha":"${sha(body)}"`)
    t.equal(await inFiles(), 0)
  }
})

t.test('without a place for files a client is held back, as long as its engine is slow', async (t) => {
  process.env['TMPDIR'] = '/nowhere/at/all'
  const forwards: FakeForward[] = []
  const { clock, send, inFiles } = await start(t, false, { answer: (forward) => void forwards.push(forward) })
  const client = await send()
  let said = ''
  client.socket.on('data', (chunk) => (said += String(chunk)))
  await until('it is forwarded', () => forwards.length === 1)
  await clock.advance(20_000)
  t.equal(await inFiles(), 0)
  const [forward] = forwards
  if (forward !== undefined) void answerHash(forward)
  await passing(clock, 'it is answered', () => said.includes('sha'))
  t.match(said, `"sha":"${sha(LARGE)}"`)
})
