import { execFile } from 'node:child_process'
import { warning, type Finding } from './finding.ts'

/** Looks at one thing; finds nothing where there is nothing of the kind. */
export interface Probe {
  readonly check: string
  readonly look: () => Promise<readonly Finding[]>
}

/** Longer than any healthy tool takes, short enough to wait for. */
const PROBE_MS = 5_000
/** A program that is asked gets less than the look that asks it, so that it is named. */
const TOOL_MS = 3_000
const MAX_OUTPUT_BYTES = 1024 * 1024

/** A probe that hangs or fails is a finding itself, and holds up nobody. */
export const bounded = async ({ check, look }: Probe, limitMs: number = PROBE_MS): Promise<readonly Finding[]> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => resolve([unanswered(check, `no answer within ${limitMs / 1000} s`)]), limitMs)
  })
  try {
    return await Promise.race([look(), late])
  } catch (error) {
    return [unanswered(check, error instanceof Error ? error.message : String(error))]
  } finally {
    clearTimeout(timer)
  }
}

const unanswered = (check: string, reason: string): Finding =>
  warning(check, {
    what: `could not be looked at: ${reason}`,
    why: 'whatever is wrong there stays unseen',
    advice: 'run it again; if it stays so, what was asked hangs or is not readable for this user',
  })

export type ToolAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly isMissing: boolean; readonly reason: string }

/** Runs a program to its end, at most for some seconds. Never rejects. */
export type RunTool = (file: string, args: readonly string[]) => Promise<ToolAnswer>

export const runTool: RunTool = (file, args) =>
  new Promise((resolve) => {
    const options = { timeout: TOOL_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const
    const child = execFile(file, [...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve({ ok: true, text: `${stdout}${stderr}` })
      const { code } = error as NodeJS.ErrnoException
      const reason = error.killed === true ? `no answer within ${TOOL_MS / 1000} s` : lastLine(stderr, error.message)
      return resolve({ ok: false, isMissing: code === 'ENOENT', reason })
    })
    child.stdin?.end()
  })

const lastLine = (stderr: string, otherwise: string): string => stderr.trim().split('\n').at(-1) || otherwise
