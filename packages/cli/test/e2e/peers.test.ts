import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { TLS_FILES, tlsIdentity } from '../fixtures.ts'
import { chat, errorOf } from './chat.ts'
import { served } from './served.ts'

t.setTimeout(240_000)

/** A server that speaks TLS as `localhost`, and the keys that came to it. */
const secureServer = async (t: Test): Promise<{ port: number; keys: unknown[] }> => {
  const keys: unknown[] = []
  const server = createServer(tlsIdentity(), (req, res) => {
    keys.push(req.headers.authorization)
    req.resume()
    res.end('{"from":"the peer"}')
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, keys }
}

const peers = (port: number): string =>
  `peers:\n  far: { proxy: "https://localhost:${port}", models: [m], apiKey: "\${env.FAR_KEY}" }\n`

t.test('a peer is reached by HTTPS when its certificate is trusted, with its own key', async (t) => {
  const { port, keys } = await secureServer(t)
  const env = { NODE_EXTRA_CA_CERTS: TLS_FILES.cert, FAR_KEY: 'sk-far' }
  const { url } = await served(t, { models: { a: '' }, yaml: peers(port), command: { env } })
  const response = await chat(url, 'far/m')
  t.equal(response.status, 200)
  t.same(await response.json(), { from: 'the peer' })
  t.equal((await chat(url, 'm')).status, 200)
  t.same(keys, ['Bearer sk-far', 'Bearer sk-far'])
  t.equal((await chat(url, 'a')).status, 200, 'and the own models as ever')
})

t.test('a certificate that nobody vouches for ends the request, and no key is sent', async (t) => {
  const { port, keys } = await secureServer(t)
  const { url } = await served(t, { models: { a: '' }, yaml: peers(port), command: { env: { FAR_KEY: 'sk-far' } } })
  const response = await chat(url, 'm')
  t.equal(response.status, 502)
  t.match(await errorOf(response), { code: 'upstream_unreachable', message: /SELF_SIGNED_CERT/ })
  t.same(keys, [])
})
