import t from 'tap'
import { splitTarget } from '../../src/router/call.ts'
import { findRoute } from '../../src/router/route.ts'

t.test('finds routes by method and path', async (t) => {
  t.match(findRoute('POST', '/v1/embeddings'), { route: { type: 'inference' } })
  t.match(findRoute('HEAD', '/v1/models'), { route: { type: 'models' } })
  t.same(findRoute('POST', '/api/models/unload'), {
    type: 'route',
    route: { type: 'unload', model: undefined },
    scope: 'admin',
  })
  t.same(findRoute('POST', '/api/models/unload/org/m%3Aq4'), {
    type: 'route',
    route: { type: 'unload', model: 'org/m:q4' },
    scope: 'admin',
  })
  t.same(findRoute('POST', '/api/models/load/%E6%A8%A1'), {
    type: 'route',
    route: { type: 'load', model: '模' },
    scope: 'admin',
  })
  t.same(findRoute('POST', '/api/models/load/%'), { type: 'bad-path' })
  for (const path of [
    '/v1/chat',
    '/v1/chat/completions/',
    '//v1/models',
    '/api/models/load/',
    '/api/models/load',
    '*',
  ]) {
    t.same(findRoute('POST', path), { type: 'not-found' }, path)
  }
  t.same(findRoute('GET', '/v1/completions'), { type: 'method-not-allowed', allow: 'POST' })
  t.same(findRoute('POST', '/health'), { type: 'method-not-allowed', allow: 'GET, HEAD' })
})

t.test('a request target is a path and a query, also when a client sends a whole URL', async (t) => {
  t.same(splitTarget('/a/b?x=1?y'), { target: '/a/b?x=1?y', path: '/a/b', query: 'x=1?y' })
  t.same(splitTarget('/a'), { target: '/a', path: '/a', query: '' })
  t.same(splitTarget('http://host:1/a?b'), { target: '/a?b', path: '/a', query: 'b' })
  const odd = '/a/../%zz|{}"?q=\'<>'
  t.equal(splitTarget(`HTTPS://[::1]:80${odd}`).target, odd, 'as it came: what it means is for the engine to say')
  t.match(splitTarget('http://host'), { target: '/', path: '/' })
  t.match(splitTarget('http://host?x'), { target: '/?x', path: '/', query: 'x' })
  t.match(splitTarget('*'), { path: '*' })
  for (const none of ['http://host\\evil/a', 'http://user@host/a', 'host:80']) t.equal(splitTarget(none).path, none)
})

t.test('every route of an engine: its methods, where its model is, whether it takes a slot', async (t) => {
  const json = [
    ['/v1/chat/completions', '/v1/completions', '/v1/responses', '/v1/messages', '/v1/embeddings', '/v1/rerank'],
    ['/v1/reranking', '/rerank', '/reranking', '/infill', '/completion', '/v1/audio/speech', '/v1/audio/voices'],
    ['/v1/images/generations', '/sdapi/v1/txt2img', '/sdapi/v1/img2img'],
  ].flat()
  const slotless = ['/v1/messages/count_tokens', '/tokenize', '/detokenize', '/apply-template']
  for (const path of [...json, ...slotless]) {
    const route = { type: 'inference', modelIn: 'json', takesSlot: json.includes(path) }
    t.match(findRoute('POST', path), { route: { ...route, cut: 0 } }, path)
    t.match(findRoute('POST', `/v${path}`), { route: { ...route, cut: 2 } }, `/v${path}`)
    const unversioned = path.replace(/^\/v1/, '/v')
    if (unversioned !== path) t.match(findRoute('POST', unversioned), { route: { ...route, cut: 2 } }, unversioned)
  }
  for (const path of [
    '/v1/audio/transcriptions',
    '/v1/audio/translations',
    '/v1/images/edits',
    '/v1/images/variations',
  ])
    t.match(
      findRoute('POST', path),
      { route: { type: 'inference', modelIn: 'multipart', takesSlot: true, cut: 0 } },
      path,
    )
  const passive = { type: 'inference', modelIn: 'query', takesSlot: false, cut: 0 }
  for (const path of ['/v1/audio/voices', '/sdapi/v1/loras', '/props', '/slots']) {
    t.match(findRoute('GET', path), { route: passive }, path)
    t.match(findRoute('HEAD', path), { route: passive }, path)
    t.same(findRoute('GET', `/v${path}`).type, path === '/v1/audio/voices' ? 'method-not-allowed' : 'not-found')
  }
  t.same(findRoute('PUT', '/v1/audio/voices'), { type: 'method-not-allowed', allow: 'GET, HEAD, POST' })
  t.same(findRoute('POST', '/props'), { type: 'method-not-allowed', allow: 'GET, HEAD' })
})
