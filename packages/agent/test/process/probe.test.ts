import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { createProber } from '../../src/process/probe.ts'
import { askSlots } from '../../src/process/slots.ts'
import type { EngineTarget } from '../../src/process/target.ts'

const serve = async (t: Test, listener: RequestListener): Promise<EngineTarget> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port, basePath: '/base' }
}

t.test('ready is exactly 200, at the base path', async (t) => {
  let status = 503
  const paths: string[] = []
  const target = await serve(t, (request, response) => {
    paths.push(request.url ?? '')
    response.writeHead(status).end('body')
  })
  const prober = createProber(target, '/health')
  t.equal(prober.url, `http://127.0.0.1:${target.port}/base/health`)
  for (status of [503, 404, 204, 302]) {
    t.same(await prober.start().result, { ready: false, detail: `status ${status}` })
  }
  status = 200
  t.match(await prober.start().result, { ready: true })
  t.same(new Set(paths), new Set(['/base/health']))
})

t.test('a connection that is refused is not ready', async (t) => {
  const prober = createProber({ host: '127.0.0.1', port: 1, basePath: '' }, '/health')
  t.match(await prober.start().result, { ready: false, detail: /ECONNREFUSED/ })
})

t.test('an answer that does not come has a limit', async (t) => {
  const target = await serve(t, () => {})
  const prober = createProber(target, '/health', { connectMs: 1_000, answerMs: 30 })
  t.same(await prober.start().result, { ready: false, detail: 'no answer within 30 ms' })
})

t.test('none only wants somebody who listens', async (t) => {
  const target = await serve(t, () => {})
  t.match(await createProber(target, 'none').start().result, { ready: true })
  t.match(await createProber({ ...target, port: 1 }, 'none').start().result, { ready: false })
})

t.test('slots come from a JSON answer with total_slots, else nothing does', async (t) => {
  let answer: { status: number; body: string } = { status: 200, body: '{"total_slots":3}' }
  const target = await serve(t, (request, response) => {
    if (request.url === '/base/props') response.writeHead(answer.status).end(answer.body)
  })
  t.equal(await askSlots(target), 3)
  for (answer of [
    { status: 404, body: '{"total_slots":3}' },
    { status: 200, body: 'text' },
    { status: 200, body: 'null' },
    { status: 200, body: '{"total_slots":"3"}' },
    { status: 200, body: '{"total_slots":0}' },
  ]) {
    t.equal(await askSlots(target), undefined, JSON.stringify(answer))
  }
  t.equal(await askSlots({ ...target, basePath: '/silent' }), undefined, 'no answer')
  t.equal(await askSlots({ ...target, port: 1 }), undefined, 'nobody there')
})

t.test('an engine that wants a key on every path gets its own, and says so without it', async (t) => {
  const target = await serve(t, (request, response) => {
    const isKnown = request.headers.authorization === 'Bearer sk-engine'
    response.writeHead(isKnown ? 200 : 401).end(isKnown ? '{"total_slots":3}' : '')
  })
  t.same(await createProber(target, '/health').start().result, {
    ready: false,
    detail: 'status 401, it wants a key: set the apiKey of the model',
  })
  const known = { ...target, extraHeaders: ['Authorization', 'Bearer sk-engine'] }
  t.match(await createProber(known, '/health').start().result, { ready: true })
  t.equal(await askSlots(known), 3)
})
