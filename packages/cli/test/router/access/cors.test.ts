import t from 'tap'
import { answerJson, eventStream, fail, head } from '../support/answers.ts'
import { ask, errorOf } from '../support/ask.ts'
import { access, bearer, key } from '../support/keys.ts'
import { startRig } from '../support/rig.ts'

const ORIGIN = 'https://chat.example'
const ours = { Origin: ORIGIN, 'Sec-Fetch-Site': 'cross-site' }
const config = { access: access({ keys: [key('app')], cors: [ORIGIN] }) }
const preflight = {
  method: 'OPTIONS',
  headers: {
    ...ours,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization, content-type',
  },
}

t.test('a preflight of an allowed origin is answered without a key', async (t) => {
  const { port } = await startRig(t, { config })
  const told = await ask(port, preflight)
  t.match(
    [told.status, told.text, told.headers],
    [
      204,
      '',
      {
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-methods': /POST/,
        'access-control-allow-headers': 'authorization, content-type',
        'access-control-max-age': '600',
        vary: 'Origin',
      },
    ],
  )
  t.notOk('access-control-allow-credentials' in told.headers)
  t.notOk('access-control-allow-private-network' in told.headers)
  const near = { ...preflight.headers, 'Access-Control-Request-Private-Network': 'true' }
  t.equal((await ask(port, { ...preflight, headers: near })).headers['access-control-allow-private-network'], 'true')
  const put = { ...preflight, path: '/api/profiles/active' }
  t.match((await ask(port, put)).headers['access-control-allow-methods'], /\bPUT\b/, 'each method of our own')
  const odd = { ...preflight.headers, 'Access-Control-Request-Headers': 'a<b>' }
  t.notOk('access-control-allow-headers' in (await ask(port, { ...preflight, headers: odd })).headers)
})

t.test('others get 403 and no word of CORS, before the body and before the key', async (t) => {
  const { port } = await startRig(t, { config })
  for (const origin of ['https://evil.example', 'http://chat.example', 'https://chat.example.evil', 'null']) {
    for (const asked of [preflight, { body: '{"model":"a"}' }]) {
      const told = await ask(port, { ...asked, headers: { ...preflight.headers, Origin: origin } })
      t.match([told.status, errorOf(told)], [403, { code: 'forbidden', message: /under cors/ }], origin)
      t.notOk('access-control-allow-origin' in told.headers)
    }
  }
  t.equal(
    (await ask(port, { path: '/v1/models', headers: { 'Sec-Fetch-Site': 'cross-site' } })).status,
    403,
    'no origin',
  )
})

t.test('off by default: neither a preflight nor an answer says anything', async (t) => {
  const { port } = await startRig(t, { answer: answerJson({}) })
  t.equal((await ask(port, preflight)).status, 403)
  const own = await ask(port, { body: '{"model":"a"}', headers: { Origin: `http://127.0.0.1:${port}` } })
  t.equal(own.status, 200)
  t.notOk('access-control-allow-origin' in own.headers)
})

t.test('real answers carry it: lists, errors, streams, and not twice when the engine says it too', async (t) => {
  const { port } = await startRig(t, {
    config,
    answer: (forward) => {
      if (forward.request.path.startsWith('/v1/embeddings')) return fail(forward, 'start_failed')
      const { handler } = forward
      const own = ['Access-Control-Allow-Origin', '*', 'Access-Control-Allow-Credentials', 'true', 'Vary', 'Accept']
      handler.onHead(
        head({ ...eventStream, headers: [...eventStream.headers, ...own, 'Set-Cookie', 'a', 'Set-Cookie', 'b'] }),
      )
      handler.onData(Buffer.from('data: 1\n\n'))
      return handler.onEnd([])
    },
  })
  const headers = { ...ours, ...bearer('app') }
  const allowed = { 'access-control-allow-origin': ORIGIN, vary: /Origin/ }
  const list = await ask(port, { path: '/v1/models', headers })
  t.match([list.status, list.headers], [200, allowed])
  const stream = await ask(port, { body: '{"model":"a"}', headers })
  t.match([stream.status, stream.text, stream.headers], [200, 'data: 1\n\n', allowed])
  t.match(stream.headers, { vary: /Accept/, 'set-cookie': ['a', 'b'] })
  t.notOk('access-control-allow-credentials' in stream.headers)
  t.match(stream.headers['access-control-expose-headers'], /X-Lswap-Request-Id/)
  for (const [asked, status] of [
    [{ path: '/v1/models', headers: ours }, 401],
    [{ path: '/nope', headers }, 404],
    [{ body: '{"model":"nope"}', headers }, 404],
    [{ path: '/v1/embeddings', body: '{"model":"a"}', headers }, 502],
  ] as const) {
    const told = await ask(port, asked)
    t.match([told.status, told.headers], [status, allowed])
  }
})
