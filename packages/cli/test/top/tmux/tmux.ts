import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { atEnd, scratch } from '@lswap/core/test-support'
import type { Test } from 'tap'
import { CLI } from '../../e2e/programs.ts'
import { until } from '../../e2e/until.ts'

const execute = promisify(execFile)

const LOOK_MS = 40

export interface TmuxOptions {
  readonly columns?: number
  readonly rows?: number
  /** Environment of the shell in it. */
  readonly env?: Readonly<Record<string, string>>
  /** The program that `./top` runs; by default the compiled CLI. */
  readonly program?: string
  /** In front of the arguments of `./top`. */
  readonly argv?: readonly string[]
}

/** A shell in a real terminal, with `./top` in its folder. */
export interface Tmux {
  /** What is on the screen, a line each, without trailing spaces; `escapes`: with what colours it. */
  readonly capture: (options?: { readonly escapes?: boolean }) => Promise<readonly string[]>
  /** Waits until the screen is as it should be. */
  readonly screen: (what: string, isThere: (lines: readonly string[]) => boolean) => Promise<readonly string[]>
  /** Waits until the screen shows the text. */
  readonly shows: (part: string | RegExp) => Promise<readonly string[]>
  /** Presses keys, by tmux's names of them. */
  readonly keys: (...names: readonly string[]) => Promise<void>
  /** Interrupts what runs in front of the shell, and waits until the shell would read a line: one that is typed before may be lost. */
  readonly interrupt: () => Promise<void>
  /** Types a line into the shell. */
  readonly line: (text: string) => Promise<void>
  readonly resize: (...sizes: readonly (readonly [columns: number, rows: number])[]) => Promise<void>
  /** A variable of tmux: `alternate_on`, `cursor_flag`, `pane_dead`. */
  readonly variable: (name: string) => Promise<string>
  /** Everything that was written to the terminal since the start. */
  readonly raw: () => Promise<string>
  /** What a file in its folder holds; empty where there is none yet. */
  readonly file: (name: string) => Promise<string>
  /** Of the latest `./top`. */
  readonly pid: () => Promise<number>
}

/** In CI it can not be missing; elsewhere the tests say why they do not run. */
export const noTmux = async (): Promise<string | false> => {
  try {
    await execute('tmux', ['-V'])
    return false
  } catch {
    if (process.env['CI']) throw new Error('tmux is not installed: .ci/run installs it')
    return 'tmux is not installed'
  }
}

export const tmux = async (t: Test, options: TmuxOptions = {}): Promise<Tmux> => {
  const { columns = 80, rows = 24, program = CLI, argv = [] } = options
  const folder = scratch(t)
  const words = [process.execPath, program, ...argv].map((word) => JSON.stringify(word)).join(' ')
  await writeFile(join(folder, 'top'), `#!/bin/sh\necho $$ > pid\nexec ${words} "$@"\n`, { mode: 0o755 })
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    PS1: '$ ',
    SHELL: '/bin/bash',
    ...options.env,
  }
  const run = async (...args: readonly string[]): Promise<string> =>
    (await execute('tmux', ['-S', join(folder, 'socket'), '-f', '/dev/null', ...args], { env, cwd: folder })).stdout
  atEnd(t, () => run('kill-server').catch(() => {}))
  const shell = ['bash', '--norc', '--noprofile', '-i']
  await run('new-session', '-d', '-x', String(columns), '-y', String(rows), ...shell)
  await run('pipe-pane', `cat >> ${join(folder, 'raw')}`)

  const capture: Tmux['capture'] = async ({ escapes = false } = {}) =>
    (await run('capture-pane', '-p', ...(escapes ? ['-e'] : [])))
      .split('\n')
      .slice(0, -1)
      .map((line) => line.trimEnd())
  const screen: Tmux['screen'] = async (what, isThere) => {
    let last: readonly string[] = []
    try {
      return await until(what, async () => {
        last = await capture()
        if (isThere(last)) return last
        // Each look is a process
        await pause(LOOK_MS)
        return undefined
      })
    } catch (error) {
      throw new Error(`${String(error)}; the screen:\n${last.join('\n')}`, { cause: error })
    }
  }
  const made: Tmux = {
    capture,
    screen,
    shows: (part) =>
      screen(`the screen shows ${String(part)}`, (lines) => {
        const text = lines.join('\n').trimEnd()
        return typeof part === 'string' ? text.includes(part) : part.test(text)
      }),
    keys: async (...names) => void (await run('send-keys', ...names)),
    async interrupt() {
      await run('send-keys', 'C-c')
      await until('the shell has the terminal', async () => {
        await pause(LOOK_MS)
        return (await made.variable('pane_current_command')) === 'bash' ? true : undefined
      })
    },
    line: async (text) => void (await run('send-keys', '-l', text, ';', 'send-keys', 'Enter')),
    resize: async (...sizes) => {
      const commands = sizes.map(([x, y]) => ['resize-window', '-x', String(x), '-y', String(y), ';'])
      await run(...commands.flat())
    },
    variable: async (name) => (await run('display-message', '-p', `#{${name}}`)).trim(),
    raw: () => readFile(join(folder, 'raw'), 'utf8'),
    file: (name) => readFile(join(folder, name), 'utf8').catch(() => ''),
    pid: async () => Number(await readFile(join(folder, 'pid'), 'utf8')),
  }
  await made.shows('$')
  return made
}
