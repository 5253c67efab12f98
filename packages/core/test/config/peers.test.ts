import t from 'tap'
import { configOf, issuesOf } from './reading.ts'

const model = 'models: { a: { cmd: "x ${PORT}" }, p/m: { cmd: "x ${PORT}" } }\n'

t.test('a peer has an address, models, a key, filters and time limits of its own', async (t) => {
  const { peers } = configOf(
    `${model}peers: { o: { proxy: "https://example.org/api/", models: [m, m, n/k], apiKey: sk-x, filters: { stripParams: seed }, timeouts: { connect: 3 } }, q: { proxy: "http://[::1]:1", models: [m] } }\n`,
  )
  t.match(peers[0], {
    id: 'o',
    proxy: 'https://example.org/api',
    models: ['m', 'n/k'],
    apiKey: 'sk-x',
    filters: { stripParams: ['seed'] },
    timeouts: { connectMs: 3_000, responseHeaderMs: 60_000 },
  })
  t.equal('apiKey' in (peers[1] ?? {}), false)
})

const said = (line: string): readonly string[] => issuesOf(`${model}peers: { ${line} }\n`)

t.test('each mistake in a peer has its place', async (t) => {
  t.match(said('o: { models: [m] }'), [/^2:10: error: peers\.o\.proxy: proxy is missing$/])
  t.match(said('o: { proxy: "ftp://x", models: [m] }'), [
    /^2:22: error: peers\.o\.proxy: expected an address like http/,
  ])
  t.match(said('o: { proxy: "http://x" }'), [/^2:10: error: peers\.o\.models: a peer needs at least one model$/])
  t.match(said('o: { proxy: "http://x", models: [] }'), [/^2:34: error: .*at least one model$/])
  t.match(said('p: { proxy: "http://x", models: [m] }'), [
    /^2:43: error: peers\.p\.models\[0\]: "p\/m" is a model of this configuration/,
  ])
  t.match(said('o: { proxy: "http://x", models: [n/k] }, o/n: { proxy: "http://x", models: [k] }'), [
    /could also be a model of the peer "o"$/,
  ])
  t.match(said('o: { proxy: "http://x", models: [m], filters: { setParamsByID: { x: { y: 1 } } } }'), [
    /^2:58: warning: .*no effect/,
  ])
})

t.test('a key may be limited to models of a peer', async (t) => {
  const { access } = configOf(
    `${model}peers: { o: { proxy: "http://x", models: [m] } }\napiKeys: [{ key: k, models: ["o/*"] }]\n`,
  )
  t.same(access.keys[0]?.models, ['o/m'])
})
