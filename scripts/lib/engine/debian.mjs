// Debian's newest llama-server on any Debian. It is built against a newer C library than a stable release has, so that
// one comes along, and the engine is started through it.

import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { arch } from 'node:os'
import { join } from 'node:path'
import { openApt } from './apt.mjs'
import { isExecutable } from './on-path.mjs'
import { NoEngine } from './no-engine.mjs'
import { run } from './run.mjs'

const suite = 'sid'
const engine = 'llama.cpp-tools'

const machines = {
  x64: { triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
}

/** Fetches into `root`, an empty folder, and writes `root/llama-server`; the folder can be moved afterwards. */
export async function fetchFromDebian({ root, scratch, say }) {
  const machine = machines[arch()]
  if (machine === undefined) throw new NoEngine('unavailable', `no packages are known for processors of kind ${arch()}`)
  for (const tool of ['apt-get', 'apt-cache', 'dpkg']) {
    if (await isExecutable(join('/usr/bin', tool))) continue
    throw new NoEngine('unavailable', `this Linux has no ${tool}; put a llama-server on the PATH`)
  }
  const apt = await openApt(scratch, suite)
  say(`reading the package index of Debian ${suite}`)
  await apt('apt-get', ['update'], { timeoutMs: 90_000 })
  const packages = await withLibraries(apt)
  say(`downloading ${packages.length} packages`)
  const debs = join(scratch, 'debs')
  await mkdir(debs)
  await apt('apt-get', ['download', ...packages], { timeoutMs: 90_000, cwd: debs })
  for (const name of await readdir(debs)) {
    const unpacked = await run('dpkg', ['-x', join(debs, name), root], { timeoutMs: 60_000 })
    if (unpacked.code !== 0) throw new NoEngine('unavailable', `dpkg -x ${name}: ${unpacked.stderr.trim()}`)
  }
  await writeStarter(root, machine)
}

/** The engine and the libraries below it; the rest of what Debian would install is for configuring them. */
async function withLibraries(apt) {
  const found = new Set()
  let fresh = [engine]
  while (fresh.length > 0) {
    for (const name of fresh) found.add(name)
    const text = await apt('apt-cache', ['depends', '--important', ...fresh], { timeoutMs: 30_000 })
    const named = [...text.matchAll(/^[ |]*(?:Pre)?Depends: (\S+)$/gm)].map(([, name]) => name)
    fresh = [...new Set(named)].filter((name) => /^(?:lib|zlib)/.test(name) && !found.has(name))
  }
  return [...found]
}

async function writeStarter(root, { triplet, loader }) {
  const libraries = `usr/lib/${triplet}`
  const backend = await pickBackend(join(root, libraries, 'ggml/backends0'))
  const starter = join(root, 'llama-server')
  await writeFile(
    starter,
    `#!/bin/sh
# Starts the engine with the C library that lies beside it. No other program is run on the way: starts are measured.
case $0 in /*) top=\${0%/*} ;; *) top=$PWD/\${0%/*} ;; esac
lib=$top/${libraries}
GGML_BACKEND_PATH=$lib/ggml/backends0/${backend}
export GGML_BACKEND_PATH
exec "$lib/${loader}" --library-path "$lib:$lib/llama" "$top/usr/bin/llama-server" "$@"
`,
  )
  await chmod(starter, 0o755)
}

/** The file for this processor; the engine finds none by itself outside its usual place. */
async function pickBackend(folder) {
  const files = (await readdir(folder)).toSorted()
  const flags = await readFile('/proc/cpuinfo', 'utf8').catch(() => '')
  const wanted = /\bavx2\b/.test(flags) ? ['-haswell.so', '-x64.so'] : ['-x64.so', '-armv8.0_1.so', '-armv8.so']
  const file = wanted.flatMap((end) => files.filter((name) => name.startsWith('libggml-cpu') && name.endsWith(end)))[0]
  const any = file ?? files.find((name) => name.startsWith('libggml-cpu'))
  if (any === undefined) throw new NoEngine('unavailable', 'the packages carry no backend for a processor')
  return any
}
