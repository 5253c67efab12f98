import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { configJsonSchema, KEY_DOCS, keyPaths } from '../../../src/config/describe/json-schema.ts'
import { mistakesOf } from './validate.ts'

const TOP = new URL('../../../../../../', import.meta.url)
const VECTOR = new URL('packages/core/test/config/vectors/llama-swap-keys.yaml', TOP)
const schema = configJsonSchema()

t.test('every key is described, and nothing else is', async (t) => {
  const paths = new Set(keyPaths(schema))
  t.same(
    [...paths].filter((path) => !(path in KEY_DOCS)),
    [],
    'keys without a description',
  )
  const free = new Set(['models.*.macros.*', 'macros.*'])
  t.same(
    Object.keys(KEY_DOCS).filter((path) => !paths.has(path) && !free.has(path)),
    [],
    'descriptions without a key',
  )
  for (const [path, { meaning }] of Object.entries(KEY_DOCS)) t.match(meaning, /^[^a-z].*\.$/, path)
})

t.test('the schema that is shipped is that of the code: node scripts/describe-config.mjs writes it', async (t) => {
  const shipped: unknown = JSON.parse(readFileSync(new URL('packages/cli/schema/lswap.schema.json', TOP), 'utf8'))
  t.same(shipped, JSON.parse(JSON.stringify(schema)))
})

t.test('editors find every key of llama-swap, and examples of our own, valid', async (t) => {
  t.same(mistakesOf(parse(readFileSync(VECTOR, 'utf8'), { merge: true }), schema), [])
  const own = `
models:
  a: { cmd: "x \${PORT}", ttl: "\${ttl}", proxy: "\${base}/v1", memory: { gpu0: 18GiB }, adapters: { l: 0, m: x.gguf, n: { path: p, scale: 0.5 } } }
apiKeys: [plain, { keyFile: k, scopes: [infer], concurrency: 2 }]
drainTimeoutMs: never
devices: { gpu0: 24GiB, box: { gpu0: 12 GB } }
`
  t.same(mistakesOf(parse(own), schema), [])
})

t.test('editors find unknown keys and wrong values', async (t) => {
  t.same(mistakesOf(parse('startport: 1\nmodels: { a: { ttl: soon, stopSignal: SIGNAL } }'), schema), [
    '.startport: unknown key',
    '.models.a.ttl: no form fits',
    '.models.a.stopSignal: no form fits',
  ])
})
