import { once } from 'node:events'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import t from 'tap'
import { tlsIdentity } from '../../fixtures.ts'
import { answerJson } from '../support/answers.ts'
import { startRig } from '../support/rig.ts'

// Many connections, on machines that have other work too
t.setTimeout(60_000)

const tls = tlsIdentity()
const FLOOD = 500
/** The begin of a hello that says that it is 512 bytes long. */
const HALF_A_HELLO = Buffer.from('1603010200010001fc0303', 'hex')

const health = async (port: number): Promise<string> => {
  const asked = request({ host: '127.0.0.1', port, ca: tls.cert, agent: false, path: '/health' })
  asked.end()
  const [response] = await once(asked, 'response')
  return text(response)
}

const dial = async (port: number, first: Buffer): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'connect')
  socket.write(first)
  return socket
}

/** By an end or a reset. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    if (socket.destroyed) return resolve()
    const late = setTimeout(() => reject(new Error('not cut within 30 s')), 30_000)
    socket.once('close', () => {
      clearTimeout(late)
      resolve()
    })
    return undefined
  })

const heldBytes = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

t.test('handshakes that never end are cut in time, hold little, and keep nobody else waiting', async (t) => {
  const { port } = await startRig(t, { tls, limits: { headersTimeoutMs: 2_000 }, answer: answerJson({}) })
  await health(port)
  const before = heldBytes()
  const open: Socket[] = []
  for (let count = 0; count < FLOOD; count++) open.push(await dial(port, HALF_A_HELLO))
  const cut = open.map(closed)
  t.match(await health(port), 'OK')
  t.ok(heldBytes() - before < FLOOD * 100 * 1024, 'less than 100 KB for each')
  await Promise.all(cut)
  t.match(await health(port), 'OK')
})

t.test('a hello that comes byte by byte gets no more time than another', async (t) => {
  const { port } = await startRig(t, { tls, limits: { headersTimeoutMs: 200 } })
  const slow = await dial(port, HALF_A_HELLO)
  const drip = setInterval(() => slow.write('\0'), 20)
  t.teardown(() => clearInterval(drip))
  await closed(slow)
  t.ok(slow.destroyed)
})

t.test('keys are not agreed on anew: that costs a server many times what it costs a client', async (t) => {
  const { port } = await startRig(t, { tls, answer: answerJson({}) })
  const client = connectTls({ host: '127.0.0.1', port, ca: tls.cert, maxVersion: 'TLSv1.2', servername: 'localhost' })
  t.teardown(() => void client.destroy())
  client.on('error', () => {})
  await once(client, 'secureConnect')
  const told = await new Promise<Error | null>((resolve) => {
    client.renegotiate({}, resolve)
    client.once('error', resolve)
  })
  t.match(told?.message, /no renegotiation/)
  t.match(await health(port), 'OK')
})
