import t from 'tap'
import { guardFailure } from '../../src/router/guard.ts'
import { ask, errorOf } from './support/ask.ts'
import { startRig } from './support/rig.ts'

const codeOf = (headers: Record<string, string>, isLoopback = true): string | undefined =>
  guardFailure(headers, { isLoopback, allowedHosts: [], cors: [] })?.code

t.test('on loopback the Host must be a name of this machine', async (t) => {
  const good = [
    '127.0.0.1',
    '127.0.0.1:8080',
    '[::1]:8080',
    '10.0.0.7',
    'localhost',
    'LOCALHOST:80',
    'a.localhost:1',
    'box.local',
    'box.local.:80',
    'localhost.',
    'under_score.local',
  ]
  for (const host of good) t.equal(codeOf({ host }), undefined, host)
  const bad = [
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'local',
    '.local',
    '',
    'notlocalhost',
    '[::1',
    'a b.local\u0000x',
    'evil.example#.localhost',
    'evil.example?.local',
    'evil.example\\.localhost',
    'evil.example/.local',
    'evil.example .localhost',
    'localhost..',
    '.',
  ]
  for (const host of bad) t.equal(codeOf({ host }), 'forbidden', host)
  t.equal(codeOf({}), 'forbidden', 'none')
})

t.test('beyond loopback any name will do', async (t) => {
  t.equal(codeOf({ host: 'gpu-box.example:8080' }, false), undefined)
})

t.test('requests from pages of another site are refused on every listener', async (t) => {
  for (const isLoopback of [true, false]) {
    const host = 'localhost:8080'
    t.equal(codeOf({ host, origin: 'http://localhost:8080' }, isLoopback), undefined)
    t.equal(codeOf({ host, origin: 'https://localhost:8080' }, isLoopback), undefined)
    for (const origin of [
      'http://evil.example',
      'http://localhost',
      'http://localhost:3000',
      'null',
      'file://',
      'rubbish',
    ]) {
      t.equal(codeOf({ host, origin }, isLoopback), 'forbidden', origin)
    }
    t.equal(codeOf({ host, 'sec-fetch-site': 'cross-site' }, isLoopback), 'forbidden')
    for (const site of ['same-origin', 'same-site', 'none'])
      t.equal(codeOf({ host, 'sec-fetch-site': site }, isLoopback), undefined)
  }
  t.equal(codeOf({ host: 'localhost', origin: 'http://localhost:80' }), undefined, 'the default port is no difference')
  t.equal(
    codeOf({ host: 'localhost:443', origin: 'https://localhost' }),
    undefined,
    'nor that of the scheme of the page',
  )
  t.equal(codeOf({ host: 'localhost:443', origin: 'http://localhost' }), 'forbidden')
  t.equal(codeOf({ host: 'localhost', origin: 'ws://localhost' }), 'forbidden')
})

t.test('names and origins of the configuration are let in, and nothing near them', async (t) => {
  const { allowedHosts, cors } = { allowedHosts: ['box.example', '*.lan'], cors: ['https://chat.example'] }
  const told = (headers: Record<string, string>): string | undefined =>
    guardFailure(headers, { isLoopback: true, allowedHosts, cors })?.code
  for (const host of ['box.example', 'BOX.example:80', 'box.example.', 'a.lan', 'a.b.lan.'])
    t.equal(told({ host }), undefined, host)
  for (const host of ['x.box.example', 'boxxexample', 'lan', '.lan', 'evillan', 'box.example.evil'])
    t.equal(told({ host }), 'forbidden', host)
  const host = 'localhost'
  t.equal(told({ host, origin: 'https://chat.example', 'sec-fetch-site': 'cross-site' }), undefined)
  t.equal(told({ host: 'evil', origin: 'https://chat.example' }), 'forbidden', 'the Host counts all the same')
  t.equal(told({ host, origin: 'https://chat.example:444' }), 'forbidden')
})

t.test('the router refuses before the body and before any swap; health has no guard', async (t) => {
  const { port, agent } = await startRig(t)
  const told = await ask(port, { body: '{"model":"a"}', headers: { Host: 'evil.example' } })
  t.match([told.status, errorOf(told)], [403, { code: 'forbidden', type: 'permission_error' }])
  const crossed = await ask(port, { body: '{"model":"a"}', headers: { Origin: 'http://evil.example' } })
  t.equal(crossed.status, 403)
  t.same(agent.swaps, [])
  t.equal((await ask(port, { path: '/health', headers: { Host: 'probe.example' } })).status, 200)
})
