import { epoch } from '@lswap/core'
import { AGENT_HEADERS } from '@lswap/core/protocol'
import { request } from 'node:http'
import t from 'tap'
import { A, B, call, hostDouble, NO_TIME, serverOf, TOKEN, until, type HostDouble } from '../client/support/host.ts'

const order = (more: object) => ({ term: 3, seq: 1, model: A, evict: [], ...more })
const errorOf = async (answer: Response): Promise<{ code: string; message: string }> =>
  ((await answer.json()) as { error: { code: string; message: string } }).error

t.test('without the token, with a wrong one, from a page, or by a foreign name nothing is told', async (t) => {
  const double = await hostDouble(t)
  const { url, port } = await serverOf(t, double)
  const none = await fetch(`${url}/v1/agent`)
  t.equal(none.status, 401)
  t.notMatch(await none.text(), TOKEN)
  t.equal((await call(url, '/v1/agent', { headers: { [AGENT_HEADERS.token]: `${TOKEN}x` } })).status, 401)
  t.equal((await call(url, '/v1/agent', { headers: { [AGENT_HEADERS.token]: TOKEN.slice(1) } })).status, 401)
  t.equal((await call(url, '/v1/agent', { headers: { origin: url } })).status, 403)
  const named = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ port, path: '/v1/agent', headers: { host, [AGENT_HEADERS.token]: TOKEN } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      asked.on('error', reject)
      asked.end()
    })
  t.equal(await named('evil.example.org'), 403)
  t.equal(await named('localhost:8078'), 200)
})

t.test('it says who it is, and never its token', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double, { term: 4 })
  const answer = await call(url, '/v1/agent')
  const text = await answer.text()
  t.match(JSON.parse(text), { id: 'box', version: '0.0.0', protocol: 1, term: 4, models: [A, B], devices: [] })
  t.notMatch(text, TOKEN)
  t.equal((JSON.parse(text) as { start: string }).start, answer.headers.get(AGENT_HEADERS.start))
})

t.test('a command that is none says where it goes wrong', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const form = await call(url, '/v1/swap', { body: '{}', headers: { 'content-type': 'text/plain' } })
  t.match(await errorOf(form), { code: 'invalid_request', message: /application\/json/ })
  t.match(await errorOf(await call(url, '/v1/swap', { body: '{' })), { code: 'invalid_json' })
  const wrong = await call(url, '/v1/swap', { body: order({ evict: ['b', 7] }) })
  t.equal(wrong.status, 400)
  t.match(await errorOf(wrong), { code: 'invalid_request', message: /^evict\.1: / })
  t.equal((await call(url, '/v1/swap')).status, 405)
  t.equal((await call(url, '/v1/nothing')).status, 404)
  t.equal((await call(url, '/v1/swap', { body: order({ model: 'unknown' }) })).status, 404)
  t.equal((await call(url, '/v1/logs/unknown')).status, 404)
  t.equal((await call(url, '/v1/proxy/unknown/x')).status, 404)
  t.equal((await call(url, `/v1/proxy/b/x`)).status, 409, 'known, and not ready')
  t.equal(double.asked.swapCount, 0)
})

t.test('the same order again joins the first, and both get one result', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const first = await call(url, '/v1/swap', { body: order({ news: 1 }) })
  const swap = await until('the swap', () => double.asked.swaps.get(A))
  swap.progress({ type: 'spawned', pid: 9 })
  const second = await call(url, '/v1/swap', { body: order({}) })
  double.ready(A, 2)
  swap.end({ outcome: 'ready', epoch: epoch(2), evictions: [], timings: NO_TIME })
  const [one, other] = [await first.text(), await second.text()]
  t.equal(one, other)
  const lines = one
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; endpoint?: string })
  t.same(
    lines.map(({ type }) => type),
    ['spawned', 'ready'],
  )
  t.equal(lines[1]?.endpoint, 'http://127.0.0.1:1')
  t.equal(double.asked.swapCount, 1)
})

t.test('a smaller term is fenced, and a lower number for a model superseded', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const stop = (more: object) => call(url, '/v1/stop', { body: { term: 3, seq: 5, models: [A], ...more } })
  t.equal((await stop({})).status, 200)
  const late = await call(url, '/v1/swap', { body: order({ seq: 4 }) })
  t.equal(late.status, 409)
  t.match(await errorOf(late), { code: 'superseded' })
  const evicting = await call(url, '/v1/swap', { body: order({ seq: 4, model: B, evict: [A] }) })
  t.equal(evicting.status, 409, 'also where it would evict the model')
  t.equal((await stop({ seq: 4, models: [B] })).status, 200, 'other models have their own')
  const claimed = (await (await call(url, '/v1/claim', { body: {} })).json()) as { term: number }
  t.equal(claimed.term, 4)
  const fenced = await stop({ seq: 6 })
  t.equal(fenced.status, 409)
  t.match(await errorOf(fenced), { code: 'fenced', message: /term 4, this one has 3/ })
  t.equal((await stop({ term: 4, seq: 1 })).status, 200, 'numbers count anew in a new term')
  const forwarded = await call(url, '/v1/proxy/b/x', { headers: { [AGENT_HEADERS.term]: '3' } })
  t.match(await errorOf(forwarded), { code: 'fenced' })
  t.equal((await call(url, '/v1/metrics', { headers: { [AGENT_HEADERS.term]: '3' } })).status, 200, 'reading is free')
})

t.test('a claim ends the loads that an earlier router began', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const first = await call(url, '/v1/swap', { body: order({}) })
  await until('the swap', () => double.asked.swaps.get(A))
  await call(url, '/v1/claim', { body: {} })
  t.match(JSON.parse((await first.text()).trim()), { type: 'aborted' })
})

t.test('a claim that comes twice is one, also when another router has come meanwhile', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const claim = async (claimant?: string): Promise<number> =>
    ((await (await call(url, '/v1/claim', { body: { claimant } })).json()) as { term: number }).term
  t.same([await claim('one'), await claim('one'), await claim('two'), await claim('one')], [1, 1, 2, 1])
  t.match(await (await call(url, '/v1/agent')).json(), { term: 2 })
  t.same([await claim(), await claim()], [3, 4], 'who does not say who it is')
})

t.test('a disk that keeps no term keeps no router away', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double, { keepTerm: () => Promise.reject(new Error('no space left')) })
  t.same(await (await call(url, '/v1/claim', { body: {} })).json(), { term: 1 })
})

t.test("somebody's own order is refused while a router is there, unless it is forced", async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const byHand = (more: object) => call(url, '/v1/stop', { body: { models: '*', ...more } })
  t.equal((await byHand({})).status, 200, 'no router yet')
  t.same(double.asked.stops[0]?.models, [A, B])
  await call(url, '/v1/claim', { body: {} })
  const refused = await byHand({})
  t.equal(refused.status, 409)
  t.match(await errorOf(refused), { code: 'fenced', message: /a router \(term 1\)/ })
  t.equal((await byHand({ force: true })).status, 200)
  t.equal((await byHand({ models: ['unknown'], force: true })).status, 404)
})

t.test('events go on after the last number, or say that some are missing', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const crash = { code: 'upstream_died', message: 'x' } as const
  const read = async (query: string, lines: number): Promise<readonly Record<string, unknown>[]> => {
    const controller = new AbortController()
    const answer = await fetch(`${url}/v1/events?${query}`, {
      headers: { [AGENT_HEADERS.token]: TOKEN },
      signal: controller.signal,
    })
    let text = ''
    for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(part).toString()
      if (text.split('\n').length > lines) break
    }
    controller.abort()
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }
  const [hello] = await read('', 1)
  t.match(hello, { type: 'hello', number: 0, isGap: true })
  for (const number of [1, 2, 3]) double.crash(A, number, crash)
  const start = String(hello?.['start'])
  const [again, ...missed] = await read(`start=${start}&after=1`, 3)
  t.match(again, { type: 'hello', number: 1, isGap: false })
  t.same(
    missed.map(({ number, epoch: of }) => [number, of]),
    [
      [2, 2],
      [3, 3],
    ],
  )
  t.match((await read(`start=${start}&after=9`, 1))[0], { isGap: true, number: 3 })
  t.match((await read('start=another&after=2', 1))[0], { isGap: true, number: 3 })
})

t.test('who left while its process was looked for begins nothing at the engine', async (t) => {
  const double = await hostDouble(t)
  double.ready(B, 1)
  let release: (() => void) | undefined
  let forwards = 0
  const { agent } = double
  const slow: HostDouble = {
    ...double,
    agent: {
      ...agent,
      processes: async () => {
        if (release === undefined) await new Promise<void>((resolve) => (release = resolve))
        return agent.processes()
      },
      forward: (...given) => {
        forwards += 1
        return agent.forward(...given)
      },
    },
  }
  const { url } = await serverOf(t, slow)
  const leave = new AbortController()
  const headers = { [AGENT_HEADERS.token]: TOKEN }
  const left = t.rejects(fetch(`${url}/v1/proxy/b/x`, { headers, signal: leave.signal }))
  await until('it is looked for', () => release)
  leave.abort()
  await left
  // What came after its end has been answered
  for (let times = 0; times < 2; times += 1) t.equal((await call(url, '/v1/agent')).status, 200)
  release?.()
  t.equal((await call(url, '/v1/metrics')).status, 200)
  t.equal(forwards, 0)
})
