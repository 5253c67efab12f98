import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { atEnd } from '@lswap/core/test-support'
import t, { type Test } from 'tap'
import { chat } from '../chat.ts'
import { fleet, type FleetRig, type Program } from '../fleet.ts'
import { gone, isAlive } from '../processes.ts'
import { until } from '../until.ts'
import { enginePid, NO_PROCESS_TABLE, told } from './stage.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

const { LSWAP_TEST_LLAMA_SERVER: engine, LSWAP_TEST_GGUF_A: gguf, LSWAP_TEST_SKIP_REASON: reason } = process.env
const NO_ENGINE =
  engine === undefined || gguf === undefined ? (reason ?? 'no real llama-server: LSWAP_TEST_LLAMA_SERVER') : false

const together = (...models: readonly string[]): string =>
  `routing: { router: { use: group, settings: { groups: { all: { swap: false, members: [${models.join(', ')}] } } } } }\n`

/** Its agent ends like this and is started again. */
const restart = async (rig: FleetRig, signal: NodeJS.Signals): Promise<void> => {
  rig.host('box').agent().signal(signal)
  await rig.host('box').agent().ended
  await rig.host('box').restart()
}

const isUp = async (router: Program): Promise<boolean> => {
  const { hosts } = (await (await fetch(`${router.url}/running`)).json()) as { hosts: { up: boolean }[] }
  return hosts.every(({ up }) => up)
}

/** Waits until the router knows that the agent is another one: it has not what ended with the last. Gives the processes that it would use. */
const pidsAfter = async (router: Program, ended: string): Promise<Readonly<Record<string, number | null>>> =>
  until('the host is back', async () => {
    if (!(await isUp(router))) return undefined
    const ready = (await told(router)).filter(({ state }) => state === 'ready')
    if (ready.some(({ model }) => model === ended)) return undefined
    return Object.fromEntries(ready.map(({ model, pid }) => [model, pid]))
  })

const serves = async (t: Test, router: Program, model: string): Promise<void> => {
  const answer = await chat(router.url, model)
  await answer.text()
  t.equal(answer.status, 200, model)
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const)
  t.test(
    `an agent that ended by ${signal} is back with what it keeps, without the rest, and leaves strangers alone`,
    { skip: NO_PROCESS_TABLE },
    async (t) => {
      const rig = await fleet(t, { box: { kept: '', plain: '' } }, { perModel: { kept: ['onAgentExit: keep'] } })
      const host = rig.host('box')
      const router = await rig.router(together('kept', 'plain'))
      await serves(t, router, 'kept')
      await serves(t, router, 'plain')
      const [kept, plain] = [await enginePid(host, 'kept'), await enginePid(host, 'plain')]

      // A run file whose number is somebody else's by now
      const stranger = spawn('sleep', ['600'], { stdio: 'ignore' })
      atEnd(t, () => void stranger.kill('SIGKILL'))
      const run = join(host.folder, 'state', 'run')
      const records = await Promise.all((await readdir(run)).map((file) => readFile(join(run, file), 'utf8')))
      const ofPlain = records
        .map((text) => JSON.parse(text) as { model: string })
        .find(({ model }) => model === 'plain')
      await writeFile(join(run, 'stale.json'), JSON.stringify({ ...ofPlain, runId: 'stale', pid: stranger.pid }))

      await restart(rig, signal)
      t.same(await pidsAfter(router, 'plain'), { kept }, 'the same process')
      t.same(await host.bench.running(), [{ pid: kept, model: 'kept' }])
      t.ok(await gone(plain ?? 0))
      t.ok(await isAlive(stranger.pid ?? 0), 'a stranger with a number of ours lives on')
      await serves(t, router, 'kept')
      t.same(await host.journal.starts(), ['kept', 'plain'], 'it was not loaded again')
      await serves(t, router, 'plain')
      t.equal((await rig.lswap(router, 'unload', '--all')).code, 0)
      t.same(await host.bench.running(), [])
      t.same(await readdir(run), [])
    },
  )

t.test(
  'a real llama-server outlives its agent, and serves on when that is back: same process, no load',
  { skip: NO_ENGINE },
  async (t) => {
    const rig = await fleet(t, { box: { other: '' } })
    const host = rig.host('box')
    const file = join(host.folder, 'lswap.yaml')
    const cmd = `"${engine}" -m "${gguf}" --port \${PORT} -c 512 -np 2 --no-warmup -t 1`
    await writeFile(
      file,
      `${await readFile(file, 'utf8')}  real:\n    cmd: ${JSON.stringify(cmd)}\n    onAgentExit: keep\n    unloadTimeout: 30\n`,
    )
    host.agent().signal('SIGTERM')
    await host.agent().ended
    await host.restart()
    const router = await rig.router(`  real: {}\n${together('other', 'real')}`)
    await serves(t, router, 'real')
    const pid = (await told(router)).find(({ model }) => model === 'real')?.pid
    atEnd(t, async () => {
      if (await isAlive(pid ?? 0)) process.kill(pid ?? 0, 'SIGKILL')
    })
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await serves(t, router, 'other')
      await restart(rig, signal)
      t.same(await pidsAfter(router, 'other'), { real: pid }, signal)
      await serves(t, router, 'real')
    }
    t.equal((await rig.lswap(router, 'unload', 'real')).code, 0)
    t.notOk(await isAlive(pid ?? 0))
  },
)
