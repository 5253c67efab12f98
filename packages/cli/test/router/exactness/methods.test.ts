import { play, type Row } from './support/exchange.ts'
import { there } from './support/answers.ts'
import { answer, chunk } from './support/requests.ts'
import { assertSameRequest, assertSameResponse } from './support/same.ts'
import { each, startWays } from './support/ways.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH']
const BODIES: readonly (readonly [name: string, field: string, body: string])[] = [
  ['without a body', '', ''],
  ['with an empty body', 'Content-Length: 0\r\n', ''],
  ['with a body', 'Content-Length: 5\r\n', '\0{\u00ff\r\n'],
  ['with a body in chunks', 'Transfer-Encoding: chunked\r\n', `${chunk('\0{')}${chunk('\u00ff\r\n')}0\r\n\r\n`],
]
/** Without a length these get one: servers have waited for a body that never came. */
const EXPECTS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

const rowOf = (method: string, [name, field, body]: (typeof BODIES)[number], prefix: string): Row => ({
  name,
  request: [`${method} ${prefix}/x%2F/?a=%20 HTTP/1.1\r\nHost: localhost\r\n${field}\r\n${body}`],
  answer: [answer('207 Multi-Status', 'X-A: 1', 'Content-Length: 2') + (method === 'HEAD' ? '' : 'ok')],
})

each('below /upstream every method passes with its path, with and without a body', async (t, how) => {
  const ways = await startWays(t, { client: how })
  for (const method of METHODS) {
    for (const sent of BODIES) {
      const [name, field] = sent
      if (field === '' && EXPECTS_BODY.has(method)) continue
      await t.test(`${method} ${name}`, async (t) => {
        const direct = await play(ways, 'direct', rowOf(method, sent, ''))
        const routed = await play(ways, 'routed', rowOf(method, sent, '/upstream/a'))
        assertSameRequest(t, { direct: direct.request, routed: routed.request })
        assertSameResponse(t, { direct: there(direct.response), routed: there(routed.response) })
      })
    }
  }
  t.same(ways.rig.log.bugs(), [])
})
