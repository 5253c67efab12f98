import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../scripts/lib/free-port.mjs'
import { askModel, isReady } from './ask.mjs'

const startLimitMs = 30_000
const pollMs = 1

/** Swaps engines with nothing in between: ends the one, starts the other, looks every millisecond whether it is ready. */
export async function createDirect({ models }) {
  const ports = await Promise.all(models.map(() => freePort()))
  let running

  const start = async (at) => {
    const port = ports[at]
    const [file, ...args] = models[at].argv.map((word) => word.replaceAll('${PORT}', String(port)))
    // Detached as lswap's engines are: Linux shares the processors out by session, so on a busy machine a process in
    // another one than its competitor would get another share.
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    child.stdout.resume()
    child.stderr.resume()
    const exited = once(child, 'exit').then(() => process.off('exit', kill))
    const agent = new Agent({ keepAlive: true })
    running = { child, exited, agent }
    const deadline = performance.now() + startLimitMs
    for (;;) {
      const asked = performance.now()
      if (await isReady({ port, agent })) return { port, agent }
      if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}`)
      if (asked > deadline) throw new Error(`${file} was not ready within ${startLimitMs} ms`)
      await pause(Math.max(0, pollMs - (performance.now() - asked)))
    }
  }

  const stop = async () => {
    if (running === undefined) return
    const { child, exited, agent } = running
    running = undefined
    agent.destroy()
    child.kill('SIGTERM')
    await exited
  }

  return {
    /** Its parts in milliseconds; `again` is a second answer, that is not part of the swap. */
    async swapTo(at) {
      const times = [performance.now()]
      await stop()
      times.push(performance.now())
      const { port, agent } = await start(at)
      times.push(performance.now())
      const answer = await askModel({ port, agent, model: models[at].id })
      const again = await askModel({ port, agent, model: models[at].id })
      const stopped = times[1] - times[0]
      const ready = times[2] - times[1]
      return { total: stopped + ready + answer, stop: stopped, ready, answer, again }
    },
    close: stop,
  }
}
