// Writes what is made from the configuration's schema: the JSON Schema that is shipped, and the reference for people.
// A test holds both files to it.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { pageOf } from './lib/configuration/page.mjs'
import { root } from './lib/root.mjs'

const { configJsonSchema, KEY_DOCS, keyPaths } = await import(
  join(root, 'packages/core/dist/src/config/describe/json-schema.js')
)
const schema = configJsonSchema()
const intro = await readFile(join(root, 'scripts/lib/configuration/intro.md'), 'utf8')
const files = {
  'packages/cli/schema/lswap.schema.json': `${JSON.stringify(schema, null, 2)}\n`,
  'docs/configuration.md': pageOf({ intro, schema, docs: KEY_DOCS, paths: keyPaths(schema) }),
}
for (const [file, text] of Object.entries(files)) await writeFile(join(root, file), text)
await execa(join(root, 'node_modules/.bin/oxfmt'), Object.keys(files), { cwd: root })
console.log(`written: ${Object.keys(files).join(', ')}`)
