import { spawn } from 'node:child_process'

const outputLimit = 4 * 1024 * 1024

/**
 * Runs a program to its end, at most `timeoutMs`; never rejects. Resolves with `code` (undefined: it did not start, or
 * did not end by itself), `stdout`, `stderr` and `timedOut`. Messages are in English, since some are read here.
 */
export function run(file, args, { timeoutMs, cwd, env = {} }) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, LC_ALL: 'C', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      child.kill('SIGKILL')
      // A grandchild may hold the pipes open for as long as it lives.
      child.stdout.destroy()
      child.stderr.destroy()
    }, timeoutMs)
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] = (output[name] + text).slice(-outputLimit)
      })
    }
    child.once('error', (error) => {
      clearTimeout(timer)
      resolve({ code: undefined, ...output, stderr: `${output.stderr}${file}: ${error.message}`, timedOut })
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? undefined, ...output, timedOut })
    })
  })
}
