import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { chat } from './chat.ts'
import { fleet, type FleetRig, type Program } from './fleet.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

interface Host {
  readonly host: string
  readonly up: boolean
  readonly problems: readonly { readonly code: string; readonly message: string }[]
}

const hosts = async (router: Program): Promise<readonly Host[]> =>
  ((await (await fetch(`${router.url}/api/hosts`)).json()) as { hosts: readonly Host[] }).hosts
const names = async (router: Program): Promise<string> =>
  (await hosts(router)).map(({ host, up }) => `${host} ${up ? 'up' : 'down'}`).join(', ')
const becomes = (router: Program, text: string): Promise<string> =>
  until(text, async () => ((await names(router)) === text ? text : undefined))

/** Edits the router's file and has it read again. */
const edit = async (rig: FleetRig, router: Program, change: (text: string) => string): Promise<string> => {
  const file = router.file ?? ''
  await writeFile(file, change(await readFile(file, 'utf8')))
  const { stdout, stderr, code } = await rig.lswap(router, 'reload')
  if (code !== 0) throw new Error(stderr)
  return stdout + stderr
}

const without = (text: string) =>
  text
    .split('\n')
    .filter((line) => !line.includes('id: right'))
    .join('\n')

t.test('agents come, go and change at a reload, and nobody else notices', async (t) => {
  const rig = await fleet(t, { left: { a: '' }, right: { b: '--tokens 40 --tps 20' } })
  const router = await rig.router()
  t.equal((await chat(router.url, 'a')).status, 200)
  const [pid] = (await rig.host('left').journal.lines()).map((line) => line.pid)

  const slow = chat(router.url, 'b', { stream: true, maxTokens: 40 })
  const answer = await slow
  const whole = await readFile(router.file ?? '', 'utf8')
  t.notMatch(await edit(rig, router, without), /restart/)
  t.equal(await names(router), 'left up, right up', 'it drains')
  t.match(await answer.text(), /\[DONE\]/, 'what ran came to its end')
  await becomes(router, 'left up')
  const ended = async () =>
    (await rig.host('right').journal.lines()).some(({ event }) => event !== 'start') || undefined
  await until('its engine was stopped', ended)

  await edit(rig, router, () => whole)
  await becomes(router, 'left up, right up')
  t.equal((await chat(router.url, 'b')).status, 200)

  await writeFile(`${router.file ?? ''}.token`, 'not-the-token')
  await edit(rig, router, (text) => text.replace(/(id: right.*tokenFile: ")[^"]*/, `$1${router.file ?? ''}.token`))
  await becomes(router, 'left up, right down')
  const right = (await hosts(router)).find(({ host }) => host === 'right')
  t.match(right?.problems[0]?.message, /token/)
  t.equal((await chat(router.url, 'a')).status, 200)
  await edit(rig, router, () => whole)
  await becomes(router, 'left up, right up')
  t.equal((await chat(router.url, 'b')).status, 200)
  t.equal((await rig.host('right').journal.starts()).length, 2, 'b was found as it ran')
  const pids = (await rig.host('left').journal.lines()).map((line) => line.pid)
  t.same([...new Set(pids)], [pid], 'a was never touched')
})

t.test(
  'a process that its agent ends for a new definition keeps others from starting beside it',
  { skip: process.platform === 'linux' ? false : 'the process table is read from /proc' },
  async (t) => {
    const rig = await fleet(t, { box: { a: '', b: '' } })
    const host = rig.host('box')
    await host.bench.behave('a', '--unguarded --term-ms 1500')
    const router = await rig.router()
    t.equal((await chat(router.url, 'a')).status, 200)
    const file = join(host.folder, 'lswap.yaml')
    await writeFile(file, (await readFile(file, 'utf8')).replace('--alias a', '--alias a --tokens 3'))
    host.agent().signal('SIGHUP')
    await until('the router knows', async () =>
      (await (await fetch(`${router.url}/running`)).text()).includes('"state":"ready"') ? undefined : true,
    )
    t.equal((await chat(router.url, 'b')).status, 200)
    t.same(await host.bench.besides(), [])
    t.equal((await chat(router.url, 'a')).status, 200)
    t.same(await host.journal.starts(), ['a', 'b', 'a'])
  },
)
