import type { ServerResponse } from 'node:http'
import t from 'tap'
import { main } from '../../../src/main.ts'
import { refusal, routerDouble, type Reply } from '../../router-double.ts'
import { systemError, terminal } from '../../terminal.ts'
import { until } from '../../e2e/until.ts'

const text =
  (...pieces: string[]): Reply =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    for (const piece of pieces) response.write(piece)
    response.end()
  }

t.test('prints the last lines of a model, of any id', async (t) => {
  const router = await routerDouble({ 'GET /logs?': text('one\n', 'two\n') })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['logs', 'org/m:q4', '--tail', '5', '--url', router.url], io), 0)
  t.equal(io.out(), 'one\ntwo\n')
  t.equal(io.err(), '')
  t.equal(router.seen[0]?.url, '/logs?tail=5&model=org%2Fm%3Aq4')
})

t.test('-f prints what comes until Ctrl-C, which ends it with 130', async (t) => {
  let stream: ServerResponse | undefined
  const router = await routerDouble({
    'GET /logs/stream/org/m%3Aq4?tail=0': (_request, response) => {
      response.writeHead(200)
      response.write('first\n')
      stream = response
    },
  })
  t.teardown(() => router.close())
  const io = terminal()
  const exitCode = main(['logs', 'org/m:q4', '-f', '--tail', '0', '--url', router.url], io)
  await until('the first line', () => io.out().includes('first') || undefined)
  stream?.write('second\n')
  await until('the second', () => io.out().includes('second') || undefined)
  io.signal('SIGINT')
  t.equal(await exitCode, 130)
  t.equal(io.out(), 'first\nsecond\n')
  t.equal(io.err(), '', 'it is how one ends it, and no error')
})

t.test('Ctrl-C before an answer came, without -f, is told', async (t) => {
  const router = await routerDouble({ 'GET /logs?': () => {} })
  t.teardown(() => router.close())
  const io = terminal()
  const exitCode = main(['logs', '--url', router.url], io)
  await until('it asks', () => router.seen[0])
  io.signal('SIGINT')
  t.equal(await exitCode, 130)
  t.equal(io.err(), 'error: Interrupted.\n')
})

t.test('what an engine prints can not steer the terminal; a character cut in two is whole', async (t) => {
  const bytes = Buffer.from('\u001B[31mred 漢\n')
  const router = await routerDouble({
    'GET /logs?': (_request, response) => {
      response.writeHead(200)
      response.write(bytes.subarray(0, -2))
      setImmediate(() => response.end(bytes.subarray(-2)))
    },
  })
  t.teardown(() => router.close())
  const io = terminal()
  await main(['logs', '--url', router.url], io)
  t.equal(io.out(), String.raw`\x1b[31mred 漢`.replace('\\\\', '\\') + '\n')
})

t.test('--json asks for NDJSON and passes it on', async (t) => {
  const line = '{"source":"a","line":"x"}\n'
  let accept: string | undefined
  const router = await routerDouble({
    'GET /logs?': (request, response) => {
      accept = request.headers.accept
      text(line)(request, response)
    },
  })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['logs', '--json', '--url', router.url], io), 0)
  t.equal(io.out(), line)
  t.equal(accept, 'application/json, application/x-ndjson')
})

t.test('-f that the router ends says so', async (t) => {
  const router = await routerDouble({ 'GET /logs/stream?': text('bye\n') })
  t.teardown(() => router.close())
  const io = terminal()
  t.equal(await main(['logs', '-f', '--url', router.url], io), 0)
  t.match(io.err(), /The router ended the stream/)
})

t.test('a model that is not configured ends with 3, a router that is away with 5', async (t) => {
  const router = await routerDouble({ 'GET /logs': refusal(404, 'model_not_found', 'No model "x" is configured.') })
  t.teardown(() => router.close())
  t.equal(await main(['logs', 'x', '--url', router.url], terminal()), 3)
  t.equal(await main(['logs', 'x', '-f', '--url', router.url], terminal()), 3)
  t.equal(await main(['logs', '--url', 'http://127.0.0.1:1'], terminal()), 5)
})

t.test('-f ends with its reader (| head)', async (t) => {
  const router = await routerDouble({
    'GET /logs/stream?': (_request, response) => {
      response.writeHead(200)
      response.write('first\n')
    },
  })
  t.teardown(() => router.close())
  t.equal(await main(['logs', '-f', '--url', router.url], terminal({ brokenStdout: systemError('EPIPE') })), 0)
})
