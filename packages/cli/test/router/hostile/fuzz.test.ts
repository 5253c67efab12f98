import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { hostileBytes } from './support/mutate.ts'
import { createRandom, seedOfCommit } from './support/random.ts'
import { startHostileRig } from './support/rig.ts'
import { readStrictly, type Reading, type StrictRequest } from './support/strict.ts'

t.setTimeout(240_000)

const CONNECTIONS = 3_000
const AT_ONCE = 400
/** Far beyond the time for headers and bodies here. */
const LIMIT_MS = 60_000

/** Sends the pieces; resolves with whether the router closed, or answered as far as it had to. */
const play = (port: number, pieces: readonly Buffer[], { requests, end }: Reading): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let text = ''
    const finish = (isOver: boolean): void => {
      clearTimeout(limit)
      socket.destroy()
      resolve(isOver)
    }
    const limit = setTimeout(() => finish(false), LIMIT_MS)
    // What is broken must be answered, too, or end the connection
    const wanted = requests.length + (end === 'whole' || end === 'more' ? 0 : 1)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (countAnswers(text) >= wanted) finish(true)
    })
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
    const send = async (): Promise<void> => {
      for (const piece of pieces) {
        socket.write(piece)
        await turn()
      }
      if (wanted === 0) finish(true)
    }
    socket.on('connect', () => void send())
  })

const countAnswers = (text: string): number => text.match(/HTTP\/1\.1 [2-5]\d\d /g)?.length ?? 0

/** What an engine must find in a request that it gets; fields that Connection names are for one connection only. */
const keyOf = ({ method, body, fields }: StrictRequest): string => {
  const connection = fields.flatMap(([name, value]) => (name === 'connection' ? [value.toLowerCase()] : []))
  const named = new Set(connection.join(',').split(/[ \t]*,[ \t]*/))
  const kept = fields.filter(([name]) => name.startsWith('x-') && !named.has(name))
  return JSON.stringify([method, body.toString('latin1'), kept])
}

t.test('whatever bytes come: the router lives, and no engine gets a request that nobody sent', async (t) => {
  const seed = seedOfCommit()
  t.comment(`LSWAP_TEST_SEED=${seed}`)
  const random = createRandom(seed)
  const rig = await startHostileRig(t, { limits: { headersTimeoutMs: 300, bodyStallMs: 300, discardMs: 300 } })
  t.ok(await rig.isServing())
  const sent = new Map<string, number>()
  const open: string[] = []
  let started = 0
  const worker = async (): Promise<void> => {
    while (started < CONNECTIONS) {
      started += 1
      const number = started
      const pieces = hostileBytes(random)
      const bytes = Buffer.concat(pieces)
      const reading = readStrictly(bytes)
      for (const request of reading.requests) sent.set(keyOf(request), (sent.get(keyOf(request)) ?? 0) + 1)
      if (!(await play(rig.port, pieces, reading))) open.push(`${number}: ${JSON.stringify(bytes.toString('latin1'))}`)
    }
  }
  const begun = rig.engine.requests.length
  await Promise.all(Array.from({ length: AT_ONCE }, worker))

  t.same(open, [], 'every connection was answered or ended')
  t.same(rig.engine.faults, [], 'the engine got nothing but strict HTTP')
  const got = rig.engine.requests.slice(begun)
  for (const request of got) sent.set(keyOf(request), (sent.get(keyOf(request)) ?? 0) - 1)
  const foreign = [...sent].filter(([, left]) => left < 0).map(([key]) => key)
  t.same(foreign, [], 'every request at the engine is one that a client sent')
  t.ok(got.length > CONNECTIONS / 20, `${got.length} requests came through`)
  t.ok(await rig.isServing())
  await rig.isQuiet()
  t.same(rig.log.bugs(), [])
})
