import type { Scope } from '@lswap/core'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { findRoute, ROUTE_PATHS } from '../../../src/router/route.ts'
import { answerJson } from '../support/answers.ts'
import { ask, errorOf } from '../support/ask.ts'
import { access, bearer, key } from '../support/keys.ts'
import { startRig } from '../support/rig.ts'

const SCOPES: readonly Scope[] = ['infer', 'read', 'admin']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** What is not for inference, decided here once more: a route that is in neither place fails. */
const DECIDED: Readonly<Record<string, string>> = {
  'GET /health': 'none',
  'GET /ready': 'none',
  'GET /v1/models': 'any',
  'GET /models': 'any',
  'GET /api/version': 'any',
  'GET /v1/models/a': 'any',
  'GET /running': 'read',
  'GET /metrics': 'read',
  'GET /props': 'read',
  'GET /slots': 'read',
  'GET /api/events': 'read',
  'GET /api/profiles': 'read',
  'GET /logs': 'read',
  'GET /logs/stream': 'read',
  'GET /logs/stream/a': 'read',
  'GET /api/queue': 'read',
  'GET /api/hosts': 'read',
  'GET /api/requests': 'read',
  'GET /api/requests/1': 'read',
  'GET /': 'admin',
  'GET /upstream': 'admin',
  'GET /upstream/': 'admin',
  'POST /api/requests/1/cancel': 'admin',
  'POST /api/models/unload': 'admin',
  'POST /api/reload': 'admin',
  'PUT /api/profiles/active': 'admin',
  'POST /unload': 'admin',
  'POST /api/models/load/a': 'admin',
  'POST /api/models/unload/a': 'admin',
  'POST /api/models/pin/a': 'admin',
  'POST /api/models/unpin/a': 'admin',
}

const STREAMS: ReadonlySet<string> = new Set(['events', 'logs'])

/** Every route that the table knows, with what it needs. */
const routes = ROUTE_PATHS.flatMap((path) =>
  METHODS.flatMap((method) => {
    const match = findRoute(method, path)
    return match.type === 'route' ? [{ method, path, route: match.route.type, scope: match.scope }] : []
  }),
)

t.test('every route names its scope: inference needs infer unless it shows what others ask', async (t) => {
  t.equal(new Set(routes.map(({ path }) => path)).size, new Set(ROUTE_PATHS).size, 'every path is a route')
  for (const { method, path, route, scope } of routes) {
    const name = `${method} ${path}`
    t.equal(scope, DECIDED[name] ?? (route === 'inference' ? 'infer' : 'undecided'), name)
  }
})

t.test('the documentation tells the scope of every route that is not inference', async (t) => {
  const text = readFileSync(new URL('../../../../../../docs/keys.md', import.meta.url), 'utf8')
  const told = new Map<string, string>()
  for (const [, scope = '', row = ''] of text.matchAll(/^\| `(\w+)` +\|(.*)\|$/gm)) {
    for (const [, route = ''] of row.matchAll(/`((?:GET|POST|PUT) [^`]+)`/g)) told.set(route, scope)
  }
  for (const { method, path, route, scope } of routes) {
    if (route !== 'inference' && path !== '/unload') t.equal(told.get(`${method} ${path}`), scope, `${method} ${path}`)
  }
  for (const [route, scope] of told) {
    const [method = '', path = ''] = route.split(' ')
    t.match(findRoute(method, path), { type: 'route', scope }, route)
  }
})

t.test('each route with each key: 401 without one, 403 without its scope, else it is served', async (t) => {
  const { port } = await startRig(t, {
    answer: answerJson({}),
    config: { access: access({ keys: SCOPES.map((scope) => key(scope, { scopes: [scope] })) }) },
  })
  for (const { method, path, route, scope } of routes) {
    // A model that is not there ends inference and loads at once
    const body = method === 'POST' ? '{"model":"nope"}' : undefined
    const at = path.replace(/\/a$/, '/nope') + (method === 'GET' ? '?model=nope' : '?wait=false')
    const send = (asked: string, headers: Record<string, string>) =>
      ask(port, { method: asked, path: at, headers, ...(body && { body }) })
    const tell = (headers: Record<string, string>) => send(method, headers)
    // Their answers have no end
    const look = (headers: Record<string, string>) => send(STREAMS.has(route) ? 'HEAD' : method, headers)
    const stranger = await tell({})
    if (scope === 'none') t.equal(stranger.status, 200, `${path} without a key`)
    else t.match([stranger.status, errorOf(stranger)], [401, { code: 'unauthorized' }], `${path} without a key`)
    for (const given of SCOPES) {
      const isRefused = scope !== 'any' && scope !== 'none' && scope !== given
      const told = await (isRefused ? tell : look)(bearer(given))
      const name = `${method} ${path} with ${given}`
      if (isRefused) t.match([told.status, errorOf(told)], [403, { code: 'forbidden', message: scope }], name)
      else t.notOk([401, 403].includes(told.status), name)
    }
  }
})

t.test('what is no route, and what has another method, tells strangers nothing', async (t) => {
  const { port } = await startRig(t, { config: { access: access({ keys: [key('app')] }) } })
  for (const asked of [
    { path: '/nope' },
    { path: '/v1/chat/completions', method: 'PUT' },
    { path: '/api/models/load/%' },
  ]) {
    const told = await ask(port, asked)
    t.match([told.status, told.headers['www-authenticate']], [401, 'Bearer realm="lswap"'], asked.path)
    t.notOk('allow' in told.headers)
    t.notOk([200, 401, 403].includes((await ask(port, { ...asked, headers: bearer('app') })).status), asked.path)
  }
})

t.test('a wrong key is told apart from none, and never shown', async (t) => {
  const { port, log } = await startRig(t, { config: { access: access({ keys: [key('app')] }) } })
  const wrong = await ask(port, { path: '/running', headers: { 'X-Api-Key': 'sk-wrong-one' } })
  t.match(errorOf(wrong), { code: 'unauthorized', type: 'authentication_error', message: /is none of this router/ })
  t.match(errorOf(await ask(port, { path: '/running' })), { message: /wants an API key/ })
  t.equal((await ask(port, { path: '/running', headers: { 'X-Api-Key': 'sk-app' } })).status, 200)
  t.notMatch(JSON.stringify([wrong.text, log]), /sk-/)
})
