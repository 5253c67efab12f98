import { join } from 'node:path'
import { execa } from 'execa'
import { root } from '../root.mjs'
import { isHealthy, until } from '../wait.mjs'

const startLimitMs = 30_000

/**
 * Starts `lswap serve` and waits until it answers. It gets a process group of its own and every signal from here:
 * Ctrl-C in a terminal would otherwise reach it twice, and the second one kills running requests.
 */
export async function startRouter({ url, stateDir, args }) {
  const child = execa(process.execPath, [join(root, 'packages/cli/bundle/cli.js'), 'serve', ...args], {
    detached: process.platform !== 'win32',
    env: { LSWAP_STATE_DIR: stateDir },
    stdio: ['ignore', 'inherit', 'inherit'],
    reject: false,
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  process.on('SIGHUP', () => child.kill('SIGTERM'))
  process.on('exit', () => child.kill('SIGTERM'))

  let exit
  const ended = child.then((result) => {
    exit = result
    return result
  })
  const healthy = () => exit !== undefined || isHealthy(url)
  await until('lswap serve answers', healthy, { limitMs: startLimitMs })
  return { ended, exited: () => exit, stop: () => child.kill('SIGTERM') }
}
