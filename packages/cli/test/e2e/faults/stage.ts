import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { chat, errorOf } from '../chat.ts'
import { callAgent, fleet, type FleetOptions, type FleetRig, type HostRig, type Program } from '../fleet.ts'
import { until } from '../until.ts'

/** Why the process table can not be read; false: it can. */
export const NO_PROCESS_TABLE =
  process.platform === 'linux' ? false : 'the process table is read in /proc, which only Linux has'

/** One machine and a router that can be lost and replaced. */
export interface Stage {
  readonly rig: FleetRig
  readonly host: HostRig
  readonly router: () => Program
  readonly replaceRouter: () => Promise<void>
  /** What an operator's tool says is taken on the only device. Of 24 GiB; it is free at first. */
  readonly takenMiB: (mebibytes: number) => Promise<void>
  /** How often it was asked. */
  readonly looks: () => Promise<number>
  /** The agent stops, as it should at the end of each test. */
  readonly end: () => Promise<void>
}

/** How an answer ended. */
export interface Heard {
  /** Undefined: the connection broke before an answer. */
  readonly status: number | undefined
  readonly text: string
  readonly code?: string
  /** It ended as the engine wanted it to. */
  readonly isWhole: boolean
}

// `--loop-ms` is asked for by the one that runs along. It ends when nobody reads it
const TOOL = (folder: string): string => `#!/bin/sh
case "$*" in
  *compute-apps*) exit 0 ;;
  *loop*) while cat "${folder}/gpu.csv"; do sleep 0.2; done ;;
  *) echo look >> "${folder}/looks.txt"; cat "${folder}/gpu.csv" ;;
esac
`

const writeGpu = (folder: string, taken: number): Promise<void> =>
  writeFile(join(folder, 'gpu.csv'), `0, GPU-1, 24576, ${taken}, 0, 40, 50, Simulated\n`)

const withTool = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const tools = join(folder, 'tools')
  await mkdir(tools)
  await writeGpu(folder, 0)
  await writeFile(join(tools, 'nvidia-smi'), TOOL(folder))
  await chmod(join(tools, 'nvidia-smi'), 0o755)
  return { PATH: `${tools}:${process.env['PATH'] ?? ''}` }
}

export const stage = async (
  t: Test,
  models: Readonly<Record<string, string>>,
  options: Pick<FleetOptions, 'perModel' | 'via'> = {},
): Promise<Stage> => {
  const rig = await fleet(t, { box: models }, { ...options, agentEnv: withTool })
  const host = rig.host('box')
  let router = await rig.router()
  return {
    rig,
    host,
    end: async () => {
      host.agent().signal('SIGTERM')
      await host.agent().ended
      t.same(await host.bench.running(), [], 'no engine is left at the end')
    },
    router: () => router,
    replaceRouter: async () => {
      router = await rig.router()
    },
    takenMiB: async (mebibytes) => {
      await writeGpu(host.folder, mebibytes)
      if (host.agent().isAlive())
        await until('the agent knows', async () =>
          (await usedBytes(host)) === mebibytes * MEBIBYTE ? true : undefined,
        )
    },
    looks: async () => (await readFile(join(host.folder, 'looks.txt'), 'utf8').catch(() => '')).length,
  }
}

/** Reads an answer to its end, whichever that is. */
export const hear = async (asked: Promise<Response>): Promise<Heard> => {
  const answer = await asked.catch(() => undefined)
  if (answer === undefined) return { status: undefined, text: '', isWhole: false }
  const { status } = answer
  if (!answer.ok) {
    const { code, message } = await errorOf(answer)
    return { status, code, text: message, isWhole: false }
  }
  let text = ''
  try {
    for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(part).toString()
  } catch {
    return { status, text, isWhole: false }
  }
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  return { status, text, isWhole: !isStream || text.includes('[DONE]') }
}

interface Running {
  readonly running: readonly {
    readonly model: string
    readonly state: string
    readonly pid: number | null
    readonly waiting: number
  }[]
}

/** What `lswap ps` shows. */
export const told = async (router: Program): Promise<Running['running']> =>
  ((await (await fetch(`${router.url}/running`)).json()) as Running).running

/** What the agent says that a model's process does. */
export const phaseOf = async (host: HostRig, model: string): Promise<string | undefined> => {
  const { states } = (await (await callAgent(host, '/v1/metrics')).json()) as {
    states: { model: string; phase: string }[]
  }
  return states.find((state) => state.model === model)?.phase
}

const MEBIBYTE = 1_048_576

const usedBytes = async (host: HostRig): Promise<number | null | undefined> => {
  const { devices } = (await (await callAgent(host, '/v1/metrics')).json()) as {
    devices: { usedBytes: number | null }[]
  }
  return devices[0]?.usedBytes
}

export const enginePid = async (host: HostRig, model: string): Promise<number | undefined> =>
  (await host.bench.running()).find((engine) => engine.model === model)?.pid

/** What is told is what runs, and no engine ever began beside another. */
export const inOrder = async (t: Test, { host, router }: Stage, expected?: readonly string[]): Promise<void> => {
  let seen = ''
  const look = async (): Promise<true | undefined> => {
    const ps = (await told(router())).filter(({ pid }) => pid !== null).map(({ model, pid }) => `${model} ${pid}`)
    const table = (await host.bench.running()).map(({ model, pid }) => `${model} ${pid}`)
    seen = `ps: ${ps.toSorted().join(', ')}; process table: ${table.toSorted().join(', ')}`
    const isSame = ps.toSorted().join() === table.toSorted().join()
    return isSame && (expected === undefined || table.length === expected.length) ? true : undefined
  }
  await until('ps equals the process table', look).catch((error: unknown) => t.fail(`${String(error)}: ${seen}`))
  if (expected !== undefined)
    t.same(
      (await host.bench.running()).map(({ model }) => model),
      expected,
    )
  t.same(await host.bench.besides(), [], 'no engine began beside another')
}

/** Asks until it is served: a model that broke is left alone for a second or two, and says so. */
export const served = async (t: Test, { router }: Stage, model: string): Promise<void> => {
  await until(
    `${model} is served`,
    async () => {
      const answer = await chat(router().url, model)
      if (answer.ok) {
        await answer.text()
        return true
      }
      const { code, message } = await errorOf(answer)
      if (answer.headers.get('retry-after') === null)
        t.fail(`not told for how long: ${answer.status} ${code}: ${message}`)
      return undefined
    },
    20_000,
  )
}

/** Everything is unloaded. */
export const emptied = async (t: Test, now: Stage): Promise<void> => {
  const answer = await fetch(`${now.router().url}/api/models/unload`, { method: 'POST' })
  await answer.text()
  t.ok(answer.ok, 'unloaded')
  await inOrder(t, now, [])
}
