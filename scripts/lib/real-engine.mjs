import { join } from 'node:path'
import { execa } from 'execa'
import { root } from './root.mjs'

const finder = join(root, 'scripts/llama-server.mjs')

/**
 * The llama-server of this machine, or one fetched for it. `missing` tells why there is none: `unavailable` (this
 * platform has no way to get one, or it failed) or `offline` (the package index is out of reach).
 * `install`: it may also be installed by the system's package manager.
 */
export async function realEngine({ install = false, timeoutMs = 300_000 } = {}) {
  const ran = await execa(process.execPath, [finder, ...(install ? ['--yes'] : [])], {
    reject: false,
    stdin: 'ignore',
    stderr: ['pipe', 'inherit'],
    timeout: timeoutMs,
  })
  if (!ran.failed) return { path: ran.stdout.trim() }
  const said = ran.stderr
    .trim()
    .split('\n')
    .at(-1)
    .replace(/^llama-server: /, '')
  const reason = ran.timedOut ? `not obtained within ${timeoutMs / 1000} s` : said || ran.shortMessage
  return { missing: ran.exitCode === 4 ? 'offline' : 'unavailable', reason }
}
