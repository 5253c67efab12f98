import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { splitCommand, type ModelConfig } from '@lswap/core'
import type { AgentAbout } from '@lswap/core/protocol'
import { findExecutable } from '../process/find-executable.ts'

export interface EngineVersionsOptions {
  readonly models: () => readonly Pick<ModelConfig, 'cmd'>[]
  readonly env?: NodeJS.ProcessEnv
}

/** What the engines of this machine say of their version. */
export interface EngineVersions {
  /** Asks those that were not asked yet, or are other files than then. Never rejects. */
  list(): Promise<AgentAbout['engines']>
}

/** It only prints; one that hangs is not waited for. */
const ANSWER_MS = 3_000
const MAX_OUTPUT_BYTES = 65_536
/** Other programs may take `--version` for something else. */
const ASKED = /^(?:llama-server|llama-cpp-server)(?:\.exe)?$/i

const programOf = ({ cmd }: Pick<ModelConfig, 'cmd'>): string | undefined => {
  try {
    return splitCommand(cmd)[0]
  } catch {
    return undefined
  }
}

const ask = (file: string): Promise<string | null> =>
  new Promise((resolve) => {
    const options = {
      timeout: ANSWER_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
      windowsHide: true,
    } as const
    const child = execFile(file, ['--version'], options, (_error, stdout, stderr) =>
      resolve(/version: (\d+ \([0-9a-f]+\)|\S+)/.exec(`${stdout}${stderr}`)?.[1] ?? null),
    )
    child.stdin?.end()
  })

export const createEngineVersions = ({ models, env = process.env }: EngineVersionsOptions): EngineVersions => {
  const known = new Map<string, { readonly changedAt: number; readonly version: Promise<string | null> }>()

  const versionOf = async (path: string): Promise<string | null> => {
    if (!ASKED.test(basename(path))) return null
    const changedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0
    const before = known.get(path)
    // An upgrade puts another file in its place
    if (before?.changedAt === changedAt) return before.version
    const version = ask(path)
    known.set(path, { changedAt, version })
    return version
  }

  return {
    list: async () => {
      const programs = new Set(models().flatMap((model) => programOf(model) ?? []))
      const found = await Promise.all(
        [...programs].map(async (program) => {
          const executable = await findExecutable(program, env)
          return executable.ok ? { executable: executable.path, version: await versionOf(executable.path) } : undefined
        }),
      )
      return found.filter((engine) => engine !== undefined)
    },
  }
}
