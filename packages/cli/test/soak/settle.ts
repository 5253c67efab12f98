import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../e2e/until.ts'
import { ask } from './ask.ts'
import { enginesBelow, mend, processesBelow, violations } from './engines.ts'
import { LOCAL, type Plan } from './plan.ts'
import type { Rig } from './rig.ts'

interface Shown {
  readonly running: readonly {
    readonly model: string
    readonly state: string
    readonly host: string | null
    readonly pid: number | null
    readonly inFlight: number
    readonly waiting: number
  }[]
  readonly hosts: readonly { readonly host: string; readonly up: boolean }[]
}

/** A model that broke may start again within this time. */
const COOL_MS = 40_000
const LIMIT_MS = 20_000
const BROKEN = new Set(['start_failed', 'out_of_memory', 'upstream_died'])

/** Everything must be well again by itself. Gives what is not. */
export const settle = async (rig: Rig, plan: Plan): Promise<readonly string[]> => {
  const models = [...new Set(Object.values(plan.hosts).flat())]
  const faults: string[] = []
  const trying = async (act: () => Promise<unknown>): Promise<void> => {
    await act().catch((error: unknown) => faults.push(error instanceof Error ? error.message : String(error)))
  }
  for (const host of Object.keys(plan.hosts)) await mend(rig.folderOf(host))
  for (const model of models) await fetch(`${rig.router.url()}/api/models/unpin/${model}`, { method: 'POST' })
  await trying(() => until('every host is up', () => hostsUp(rig), LIMIT_MS))
  await Promise.all(models.map((model) => trying(() => answers(rig, model))))
  await trying(() => tableIsRight(rig))
  return faults
}

const shown = async ({ router }: Rig): Promise<Shown> =>
  (await fetch(`${router.url()}/running`)).json() as Promise<Shown>

const hostsUp = async (rig: Rig): Promise<true | undefined> =>
  (await shown(rig)).hosts.every(({ up }) => up) ? true : undefined

const answers = async (rig: Rig, model: string): Promise<void> => {
  let last = ''
  await until(
    `${model} answers`,
    async () => {
      const { outcome, code, fault } = await ask(rig, { model, stream: true, tokens: 3 })
      if (outcome === 'answered') return true
      last = `${code ?? outcome} ${fault ?? ''}`
      // What it was told while it broke may still hold; nothing else may
      if (!BROKEN.has(code ?? '')) throw new Error(`in the end ${model}: ${last}`)
      return undefined
    },
    COOL_MS,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)} (${last})`, { cause: error })
  })
}

/** What `ps` says is what the machine's own table says, and nothing is under way. */
const tableIsRight = async (rig: Rig): Promise<void> => {
  let said = ''
  await until(
    'ps and the process table say the same',
    async () => {
      const { running } = await shown(rig)
      const isQuiet = running.every(({ state, inFlight, waiting }) => state === 'ready' && inFlight + waiting === 0)
      const own = running.map(({ host, model, pid }) => `${host}/${model} ${pid}`).toSorted()
      const real = (await enginesBelow(rig.folder)).map(({ host, model, pid }) => `${host}/${model} ${pid}`).toSorted()
      said = `ps: ${JSON.stringify(running.map(({ model, state, host, pid, inFlight, waiting }) => [host, model, state, pid, inFlight, waiting]))}; the machine: ${real.join(', ')}`
      return isQuiet && own.join() === real.join() ? true : undefined
    },
    LIMIT_MS,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; ${said}`, { cause: error })
  })
}

/** Ends everything in the normal way. Gives what is left of it. */
export const finish = async (rig: Rig, plan: Plan): Promise<readonly string[]> => {
  const faults: string[] = []
  if (plan.keeps !== 'none') {
    const answer = await fetch(`${rig.router.url()}/api/models/unload?force=true`, { method: 'POST' })
    if (answer.status !== 200) faults.push(`unload all: ${answer.status} ${await answer.text()}`)
  }
  const codes = [await rig.router.end(), ...(await Promise.all([...rig.agents.values()].map((agent) => agent.end())))]
  if (codes.some((code) => code !== 0)) faults.push(`ended with ${codes.join(', ')}, the router first`)
  const left = await until(
    'nothing is left',
    async () => ((await processesBelow(rig.folder)).length === 0 ? [] : undefined),
    5_000,
  ).catch(() => processesBelow(rig.folder))
  for (const { pid, words } of left) faults.push(`left: ${pid} ${words.join(' ')}`)
  for (const host of [...Object.keys(plan.hosts), 'router']) {
    const folder = rig.folderOf(host)
    const beside = await violations(folder)
    if (beside !== '') faults.push(`two at once on ${host}: ${beside}`)
    if (host === LOCAL) continue
    const files = (await readdir(join(folder, 'state', 'run')).catch(() => [])).filter((file) => file.endsWith('.json'))
    if (files.length > 0) faults.push(`run files of ${host} are left: ${files.join(', ')}`)
    const log = await readFile(join(folder, 'log.ndjson'), 'utf8').catch(() => '')
    for (const line of log.split('\n')) if (/\bbug\b/.test(line)) faults.push(`log of ${host}: ${line.slice(0, 600)}`)
  }
  return faults
}
