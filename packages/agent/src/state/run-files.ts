import { readFile, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../logs/logger.ts'
import { olderOutput } from '../logs/file-tail.ts'
import { makePrivateDir } from './state-dir.ts'

/** What the next agent needs to know of a child in order to end it, and nobody else. */
export interface RunRecord {
  /** Also in the child's environment, where the platform lets us read it back. */
  readonly runId: string
  /** 0: it was about to be spawned. */
  readonly pid: number
  /** In the platform's own notation; a pid with another one is somebody else. */
  readonly startTime: string
  readonly bootId: string
  readonly argvHash: string
  readonly port: number
  readonly model: string
  readonly onAgentExit: 'stop' | 'keep'
  /** Of what it was started from: only a model that is still defined like that takes it over. */
  readonly definitionHash?: string
  /** It must not be killed: the signal that asks it to end. */
  readonly kindly?: string
}

/** Files about running children, one each. Writing never fails: serving goes on without a file. */
export interface RunFiles {
  write(record: RunRecord): Promise<void>
  remove(runId: string): Promise<void>
  readAll(): Promise<readonly RunRecord[]>
  /** Where the output of a child goes that is to outlive the agent; undefined: nowhere. Goes with the run file. */
  outputOf(runId: string): string | undefined
}

const SUFFIX = '.json'
const outputName = (runId: string): string => `${runId}.log`

const parseRecord = (text: string): RunRecord | undefined => {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null
    const texts = ['runId', 'startTime', 'bootId', 'argvHash', 'model', 'onAgentExit']
    if (value === null || texts.some((key) => typeof value[key] !== 'string')) return undefined
    return Number.isInteger(value['pid']) ? (value as unknown as RunRecord) : undefined
  } catch {
    return undefined
  }
}

/** Children of an agent whose state directory can not be used. */
export const NO_RUN_FILES: RunFiles = {
  write: async () => {},
  remove: async () => {},
  readAll: async () => [],
  outputOf: () => undefined,
}

export const openRunFiles = async (stateDir: string, log: Logger): Promise<RunFiles> => {
  const dir = join(stateDir, 'run')
  const outputDir = join(stateDir, 'output')
  await Promise.all([makePrivateDir(dir), makePrivateDir(outputDir)])
  const outputs = new Set<string>()
  const removeOutput = async (runId: string): Promise<void> => {
    const path = join(outputDir, outputName(runId))
    await Promise.all([path, olderOutput(path)].map((each) => unlink(each).catch(() => {})))
  }
  const pathOf = (runId: string): string => join(dir, runId + SUFFIX)

  return {
    async write(record) {
      const path = pathOf(record.runId)
      const draft = `${path}.new`
      try {
        await writeFile(draft, JSON.stringify(record), { mode: 0o600 })
        await rename(draft, path)
      } catch (error) {
        log.warn({ err: error, path }, 'the run file could not be written; a crash of the agent may leave this process')
        await rm(draft, { force: true }).catch(() => {})
      }
    },
    async remove(runId) {
      // Not `rm`, which asks the disk several times: the next model waits for this.
      await unlink(pathOf(runId)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return
        log.warn({ err: error, runId }, 'the run file could not be removed')
      })
      if (outputs.delete(runId)) await removeOutput(runId)
    },
    async readAll() {
      const records: RunRecord[] = []
      for (const name of await readdir(dir).catch(() => [])) {
        const text = await readFile(join(dir, name), 'utf8').catch(() => '')
        const record = name.endsWith(SUFFIX) ? parseRecord(text) : undefined
        if (record?.runId === name.slice(0, -SUFFIX.length)) records.push(record)
        // Half written when an agent died, or not ours: it names nobody that could be ended safely.
        else await rm(join(dir, name), { force: true, recursive: true }).catch(() => {})
      }
      const known = new Set(records.map(({ runId }) => outputName(runId)))
      for (const name of await readdir(outputDir).catch(() => [])) {
        if (!known.has(name.replace(/\.1$/, ''))) await rm(join(outputDir, name), { force: true }).catch(() => {})
      }
      return records
    },
    outputOf(runId) {
      outputs.add(runId)
      return join(outputDir, outputName(runId))
    },
  }
}
