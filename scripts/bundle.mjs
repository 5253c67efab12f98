// Bundles the compiled CLI and the simulated engine with all their dependencies into packages/cli/bundle: small
// entries plus chunks that only the commands that need them load (one single file takes 250 ms to parse).
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { commitId } from './lib/commit.mjs'
import { licencesOf, licencesText, packageFolders } from './lib/licences.mjs'
import { requiredHttp } from './lib/required-http.mjs'
import { replaceFolder } from './lib/replace-folder.mjs'
import { root } from './lib/root.mjs'

const cli = join(root, 'packages/cli')
const outdir = join(cli, 'bundle')
const { version } = JSON.parse(await readFile(join(cli, 'package.json'), 'utf8'))
const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    cli: join(cli, 'dist/src/cli.js'),
    'fake-llama': join(root, 'packages/agent/dist/src/fake/main.js'),
  },
  outdir,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  // Their texts are in a file of their own, below
  legalComments: 'none',
  metafile: true,
  define: {
    'process.env.NODE_ENV': '"production"',
    __LSWAP_VERSION__: JSON.stringify(version),
    __LSWAP_COMMIT__: JSON.stringify(await commitId()),
  },
  // CommonJS dependencies (commander, pino) call require('node:...').
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [
    requiredHttp,
    {
      // Ink loads its developers' tools only when DEV is "true", and what they need is not installed
      name: 'no-devtools',
      setup: (it) => it.onLoad({ filter: /[\\/]ink[\\/]build[\\/]devtools\.js$/ }, () => ({ contents: '' })),
    },
  ],
  logLevel: 'warning',
})
await replaceFolder(outdir, outputFiles)

const licences = await licencesOf(packageFolders(metafile.inputs), root)
await writeFile(join(cli, 'THIRD_PARTY_LICENSES.txt'), licencesText(licences))

// npm packs what lies in the package's own folder, and follows no links.
await Promise.all(['README.md', 'LICENSE'].map((file) => copyFile(join(root, file), join(cli, file))))

const total = outputFiles.reduce((sum, { contents }) => sum + contents.length, 0)
console.log(`bundle: ${outputFiles.length} files, ${(total / 1024).toFixed(0)} KiB in packages/cli/bundle`)
