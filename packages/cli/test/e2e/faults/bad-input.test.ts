import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { atEnd } from '@lswap/core/test-support'
import t from 'tap'
import { chat, errorOf } from '../chat.ts'
import { callAgent, fleet } from '../fleet.ts'

t.setTimeout(120_000)

t.test('an agent says what is wrong with a call, and does nothing for it', async (t) => {
  const rig = await fleet(t, { box: { a: '' } })
  const host = rig.host('box')
  const post = async (path: string, body: object | string): Promise<[number, string, string]> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await callAgent(host, path, { method: 'POST', body: text })
    if (answer.ok) {
      await answer.text()
      return [answer.status, '', '']
    }
    const { code, message } = await errorOf(answer)
    return [answer.status, code, message]
  }
  t.match(await post('/v1/swap', '{'), [400, 'invalid_json'])
  const order = { term: 1, seq: 1, model: 'a', evict: [] }
  t.match(await post('/v1/swap', { ...order, evict: ['a', 7] }), [400, 'invalid_request', /^evict\.1: /])
  t.match(await post('/v1/stop', { models: 'a' }), [400, 'invalid_request', /^models: /])
  t.match(await post('/v1/stop', { models: ['a'], timeoutMs: 'soon' }), [400, 'invalid_request', /^timeoutMs: /])
  t.match(await post('/v1/stop', { models: ['a'], term: 1 }), [400, 'invalid_request', /^seq: /])
  t.match(await post('/v1/abort', { term: 1, seq: 2, of: '1' }), [400, 'invalid_request', /^of: /])
  t.match(await post('/v1/claim', { claimant: 7 }), [400, 'invalid_request', /^claimant: /])
  t.match(await post('/v1/leave', {}), [400, 'invalid_request', /^upload: /])
  t.match(await post('/v1/swap', { ...order, model: 'unknown' }), [404, 'model_not_found', /unknown/])
  t.match(await post('/v1/claim', {}), [200])
  t.match(await post('/v1/claim', { isUnknown: true }), [200], 'fields that nobody knows are passed over')
  t.match(await post('/v1/stop', { term: 2, seq: 5, models: ['a'], timeoutMs: 0 }), [200])
  t.match(await post('/v1/swap', { ...order, term: 2, seq: 4 }), [409, 'superseded'])
  t.match(await post('/v1/swap', order), [409, 'fenced', /term 2, this one has 1/])
  t.same(await host.journal.starts(), [])
})

t.test('a wrong token is refused, and one line of the log says so without it', async (t) => {
  const rig = await fleet(t, { box: { a: '' } })
  const host = rig.host('box')
  const wrong = 'a-token-that-somebody-guessed'
  for (let times = 0; times < 20; times += 1) {
    const url = `http://127.0.0.1:${host.port}/v1/agent`
    t.equal((await fetch(url, { headers: { 'x-lswap-agent-token': wrong } })).status, 401)
  }
  host.agent().signal('SIGTERM')
  const { stderr } = await host.agent().ended
  const lines = stderr.split('\n').filter((line) => line.includes('not let in'))
  t.match(lines, [/"from":"127\.0\.0\.1".*"code":"unauthorized"/])
  t.notMatch(stderr, wrong)
  t.notMatch(stderr, (await readFile(host.tokenFile, 'utf8')).trim())
})

t.test('an agent of another protocol version is not used, and ps and doctor say so', async (t) => {
  const asked: string[] = []
  const stranger = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`)
    res.writeHead(200, { 'x-lswap-agent-protocol': '2', 'x-lswap-agent-start': 'x' })
    res.end()
  })
  stranger.listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  atEnd(t, () => {
    stranger.closeAllConnections()
    stranger.close()
  })
  const rig = await fleet(t, { box: { a: '' } })
  const { port } = stranger.address() as AddressInfo
  const router = await rig.router('', [{ id: 'old', url: `http://127.0.0.1:${port}`, like: 'box' }])
  t.equal((await chat(router.url, 'a')).status, 200)
  const said = /host old\b.*: its agent speaks version 2 of the protocol, this lswap version 1/
  t.match((await rig.lswap(router, 'ps')).stderr, said)
  t.match((await rig.lswap(router, 'doctor')).stdout, said)
  t.same([...new Set(asked)], ['HEAD /v1/agent'], 'nothing was ordered there')
})
