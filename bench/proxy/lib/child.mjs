import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const startLimitMs = 30_000

/** Starts a server; `close` ends it. `log`: a file descriptor for what it says. */
export function startServer(argv, { log, env, cwd }) {
  const [file, ...words] = argv
  const child = spawn(file, words, { stdio: ['ignore', log, log], env: { ...process.env, ...env }, cwd })
  const exited = new Promise((resolve) => {
    child.once('exit', resolve)
    // Such a program does not exist
    child.once('error', resolve)
  })
  const end = () => child.kill('SIGTERM')
  process.once('exit', end)
  return {
    pid: child.pid,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined,
    async close() {
      process.off('exit', end)
      end()
      await exited
    },
  }
}

/** Waits until somebody listens on a port of this machine. */
export async function untilListening(port, server) {
  const deadline = performance.now() + startLimitMs
  while (!(await isListening(port))) {
    if (server.hasEnded()) throw new Error(`what should listen on port ${port} has ended`)
    if (performance.now() > deadline) throw new Error(`nothing listens on port ${port}`)
    await pause(10)
  }
}

async function isListening(port) {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
