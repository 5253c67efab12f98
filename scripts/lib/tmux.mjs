// A shell in a terminal of tmux, for programs that draw on one.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { until } from './wait.mjs'

export const hasTmux = async () => (await execa('tmux', ['-V'], { reject: false })).exitCode === 0

export const openTerminal = async ({ folder, env, columns = 80, rows = 24 }) => {
  const own = await mkdtemp(join(folder, 'tmux-'))
  const tmux = async (...args) => {
    const options = {
      env: { ...env, PS1: '$ ', LC_ALL: 'C.UTF-8' },
      extendEnv: false,
      cwd: own,
      stripFinalNewline: false,
    }
    return (await execa('tmux', ['-S', join(own, 'socket'), '-f', '/dev/null', ...args], options)).stdout
  }
  const shell = ['bash', '--norc', '--noprofile', '-i']
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), ...shell)
  const capture = async (...options) =>
    (await tmux('capture-pane', '-p', ...options))
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()
  const terminal = {
    capture,
    /** Waits until the screen matches, and returns it. */
    shows: async (pattern) => {
      let last = ''
      const found = async () => {
        last = await capture()
        return pattern.test(last)
      }
      await until(`the screen matches ${pattern}`, found, { limitMs: 30_000 }).catch((error) => {
        throw new Error(`${error.message}; it is\n${last}`, { cause: error })
      })
      return last
    },
    keys: (...names) => tmux('send-keys', ...names),
    line: (text) => tmux('send-keys', '-l', text, ';', 'send-keys', 'Enter'),
    variable: async (name) => (await tmux('display-message', '-p', `#{${name}}`)).trim(),
    close: async () => {
      await tmux('kill-server').catch(() => {})
      await rm(own, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await terminal.shows(/\$/)
  return terminal
}
