import { platform } from 'node:process'
import { execa } from 'execa'
import { commandOf, holdersOnLinux } from './port-holder-linux.ts'

/** A process that listens on a port. */
export interface PortHolder {
  readonly pid: number
  readonly command: string
}

const TOOL_LIMIT_MS = 2_000

/** `lsof -F` prints one field a line: `p<pid>`, then `c<command>`. */
const parseLsof = (text: string): PortHolder[] =>
  [...text.matchAll(/^p(\d+)\n(?:[^pc].*\n)*c(.*)$/gm)].map(([, pid, command]) => ({
    pid: Number(pid),
    command: command ?? '',
  }))

/** Who listens on the port; empty when nobody does or the system does not tell us. */
export const portHolders = async (port: number): Promise<readonly PortHolder[]> => {
  if (platform === 'linux') {
    const pids = await holdersOnLinux(port)
    return Promise.all(pids.map(async (pid) => ({ pid, command: await commandOf(pid) })))
  }
  if (platform === 'win32') return []
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']
  const { stdout } = await execa('lsof', args, { reject: false, timeout: TOOL_LIMIT_MS })
  return parseLsof(stdout)
}

export const describeHolders = (holders: readonly PortHolder[]): string =>
  holders.length === 0
    ? 'another program, probably of another user'
    : holders.map(({ pid, command }) => `pid ${pid} (${command})`).join(' and ')
