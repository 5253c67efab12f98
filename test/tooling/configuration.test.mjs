import { readFile } from 'node:fs/promises'
import t from 'tap'
import { configJsonSchema, KEY_DOCS, keyPaths } from '../../packages/core/dist/src/config/describe/json-schema.js'
import { pageOf, schemaAt } from '../../scripts/lib/configuration/page.mjs'

const TOP = new URL('../../', import.meta.url)
const schema = configJsonSchema()

/** The formatter pads tables. */
const unpadded = (text) => text.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---').replaceAll(/ +/g, ' ')

t.test('docs/configuration.md is what the schema says: node scripts/describe-config.mjs writes it', async (t) => {
  const intro = await readFile(new URL('scripts/lib/configuration/intro.md', TOP), 'utf8')
  const page = pageOf({ intro, schema, docs: KEY_DOCS, paths: keyPaths(schema) })
  const written = await readFile(new URL('docs/configuration.md', TOP), 'utf8')
  t.equal(unpadded(written), unpadded(page))
  for (const path of keyPaths(schema)) t.equal(written.split(`| \`${path}\` `).length, 2, `${path} stands there once`)
})

t.test('a key is found in the schema wherever it lies', async (t) => {
  t.match(schemaAt(schema, 'models.*.adapters.*.scale').description, 'How much it counts.')
  t.match(schemaAt(schema, 'apiKeys[].scopes').description, '`infer`')
  t.throws(() => schemaAt(schema, 'models.*.nope'), /no key/)
})
