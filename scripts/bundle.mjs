// Bundles the compiled CLI and the simulated engine with all their dependencies into packages/cli/bundle: small
// entries plus chunks that only the commands that need them load (one single file takes 250 ms to parse).
import { chmod, copyFile, readFile, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { commitId } from './lib/commit.mjs'
import { root } from './lib/root.mjs'

const cli = join(root, 'packages/cli')
const outdir = join(cli, 'bundle')
const entries = { cli: 'packages/cli/src/cli', 'fake-llama': 'packages/agent/src/fake/main' }

const entryPoints = {}
for (const [name, source] of Object.entries(entries)) {
  if (existsSync(join(root, `${source}.ts`)))
    entryPoints[name] = join(root, `${source.replace('/src/', '/dist/src/')}.js`)
  else console.error(`bundle: ${source}.ts does not exist, so ${name}.js is not built`)
}

const { version } = JSON.parse(await readFile(join(cli, 'package.json'), 'utf8'))
await rm(outdir, { recursive: true, force: true })
const result = await build({
  absWorkingDir: root,
  entryPoints,
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  legalComments: 'linked',
  metafile: true,
  define: {
    'process.env.NODE_ENV': '"production"',
    __LSWAP_VERSION__: JSON.stringify(version),
    __LSWAP_COMMIT__: JSON.stringify(await commitId()),
  },
  // CommonJS dependencies (commander, pino, undici) call require('node:...').
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
})
await Promise.all(Object.keys(entryPoints).map((name) => chmod(join(outdir, `${name}.js`), 0o755)))

// npm packs what lies in the package's own folder, and follows no links.
const beside = ['README.md', 'LICENSE'].filter((file) => existsSync(join(root, file)))
await Promise.all(beside.map((file) => copyFile(join(root, file), join(cli, file))))

const sizes = Object.values(result.metafile.outputs).map((output) => output.bytes)
const total = sizes.reduce((sum, bytes) => sum + bytes, 0)
console.log(`bundle: ${sizes.length} files, ${(total / 1024).toFixed(0)} KiB in packages/cli/bundle`)
