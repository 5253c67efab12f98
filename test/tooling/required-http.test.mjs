import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import t from 'tap'
import { requiredHttp } from '../../scripts/lib/required-http.mjs'
import { scratch } from '../../packages/core/dist/test/support/index.js'

const LATER = `console.log(JSON.stringify(typeof (await import('node:https')).request))`

const ENTRY = `
import { createServer, METHODS } from 'node:http'
import https from 'node:https'
export const seen = [typeof createServer, METHODS.includes('GET'), typeof https.request]
console.log(JSON.stringify({ seen, loaded: process.moduleLoadList.filter((name) => name.includes('deps/undici')) }))
`

const bundled = async (t, contents) => {
  const outdir = scratch(t)
  await build({
    stdin: { contents },
    outdir,
    entryNames: 'entry',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // As in the bundle: what is imported later is a file of its own
    splitting: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    plugins: [requiredHttp],
  })
  return join(outdir, 'entry.mjs')
}

const said = (outfile) => JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8' }))

t.test('what is bundled takes http by require, so that Node reads no more of it than is used', async (t) => {
  const outfile = await bundled(t, ENTRY)
  const { seen, loaded } = said(outfile)
  t.same(seen, ['function', true, 'function'])
  t.same(loaded, [])
  t.notMatch(await readFile(outfile, 'utf8'), /from ["'](?:node:)?https?["']/)
})

t.test('what is imported when it is needed has its names', async (t) => {
  t.equal(said(await bundled(t, LATER)), 'function')
})
