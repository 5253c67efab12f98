import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import t from 'tap'
import { requiredHttp } from '../../scripts/lib/required-http.mjs'
import { scratch } from '../../packages/core/dist/test/support/index.js'

const ENTRY = `
import { createServer, METHODS } from 'node:http'
import https from 'node:https'
export const seen = [typeof createServer, METHODS.includes('GET'), typeof https.request]
console.log(JSON.stringify({ seen, loaded: process.moduleLoadList.filter((name) => name.includes('deps/undici')) }))
`

t.test('what is bundled takes http by require, so that Node reads no more of it than is used', async (t) => {
  const outfile = join(scratch(t), 'entry.mjs')
  await build({
    stdin: { contents: ENTRY },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    plugins: [requiredHttp],
  })
  const { seen, loaded } = JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8' }))
  t.same(seen, ['function', true, 'function'])
  t.same(loaded, [])
  t.notMatch(await readFile(outfile, 'utf8'), /from ["'](?:node:)?https?["']/)
})
