import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generation, type ModelConfig } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { agentOf, type AgentRig } from '../embedded/support/agents.ts'
import { chat } from '../embedded/support/exchange.ts'
import { readJournal } from '../process/support/journal.ts'
import { fakeCommand, model } from '../process/support/models.ts'

// Real processes take their time on a busy machine.
t.setTimeout(120_000)

const LONG = 'a conversation of many words that nobody wants to read again from its start'

interface Kept extends AgentRig {
  readonly kept: ModelConfig
  readonly folder: string
  readonly journal: string
  readonly actions: () => readonly string[]
  /** Loads it, asks, and unloads it; how many tokens the engine did not have to read. */
  readonly round: (content?: string) => Promise<number>
}

const setUp = async (
  t: Test,
  switches = '',
  settings: Partial<ModelConfig> = {},
  command = (journal: string): string => fakeCommand(`--journal ${journal} -np 2 ${switches}`),
): Promise<Kept> => {
  const dir = scratch(t)
  const [stateDir, journal] = [join(dir, 'state'), join(dir, 'journal')]
  const kept = model('kept', { cmd: command(journal), saveSlots: true, ...settings })
  const rig = await agentOf(t, [kept], stateDir)
  const round = async (content = LONG): Promise<number> => {
    const loaded = await rig.agent.swap(rig.order(kept))
    if (loaded.outcome !== 'ready') throw new Error(JSON.stringify(loaded))
    const over = await chat(rig.agent, kept, loaded.epoch, { messages: [{ role: 'user', content }] }).over
    if (!('body' in over)) throw new Error(over.failure.message)
    const stopped = await rig.agent.stop({ generation: rig.next(), models: [kept.id], drainMs: 5_000 })
    if (stopped[0]?.outcome !== 'stopped') throw new Error('it was not stopped')
    return (JSON.parse(over.body) as { timings: { cache_n: number } }).timings.cache_n
  }
  const actions = (): readonly string[] =>
    readJournal(journal).flatMap(({ event, action, slot }) =>
      event === 'slot' ? [`${String(action)} ${Number(slot)}`] : [],
    )
  return { ...rig, kept, journal, folder: join(stateDir, 'slots'), actions, round }
}

const warnings = ({ log }: AgentRig): readonly string[] =>
  log.messages.filter((line) => line.startsWith('warn') && line.includes('conversations'))

t.test('a conversation goes on from its cache after a swap, once restoring is proved', async (t) => {
  const rig = await setUp(t)
  t.equal(await rig.round(), 0)
  t.same(rig.actions(), ['save 0', 'save 1'], 'nothing is proved before it is of use')
  t.equal((await readdir(rig.folder)).length, 1, 'an empty slot leaves no file')
  t.ok((await rig.round()) > 8, 'only the last token is read again')
  t.same(rig.actions().slice(2, 8), ['save 0', 'erase 0', 'restore 0', 'erase 0', 'restore 0', 'save 0'])
  t.ok((await rig.round()) > 8)
  t.same(rig.actions().slice(9), ['restore 0', 'save 0', 'save 1'], 'it is proved once')
  t.same(warnings(rig), [])
})

t.test('the next agent goes on from them too, not after the definition changed', async (t) => {
  const rig = await setUp(t)
  await rig.round()
  await rig.agent.close()
  const stateDir = join(rig.folder, '..')
  const ask = async (kept: ModelConfig): Promise<number> => {
    const { agent, order } = await agentOf(t, [kept], stateDir)
    const loaded = await agent.swap(order(kept))
    t.equal(loaded.outcome, 'ready')
    const epoch = loaded.outcome === 'ready' ? loaded.epoch : undefined
    const over = epoch && (await chat(agent, kept, epoch, { messages: [{ role: 'user', content: LONG }] }).over)
    await agent.stop({ generation: generation(9), models: [kept.id], drainMs: 5_000 })
    await agent.close()
    return over && 'body' in over ? (JSON.parse(over.body) as { timings: { cache_n: number } }).timings.cache_n : -1
  }
  t.ok((await ask(rig.kept)) > 8)
  t.equal(await ask({ ...rig.kept, cmd: `${rig.kept.cmd} --seed 1` }), 0)
  t.equal((await readdir(rig.folder)).length, 1, 'and what it had before is removed')
})

t.test('an engine that restores and uses nothing of it is found out, said once and left alone', async (t) => {
  const rig = await setUp(t, '--restore-nothing')
  await rig.round()
  t.equal(await rig.round(), 0)
  const after = rig.actions().length
  t.equal(await rig.round(), 0)
  t.equal(rig.actions().length, after, 'it is neither asked to restore nor to save')
  t.equal(warnings(rig).length, 1)
})

const withoutFolder = (journal: string): string =>
  `env -u LLAMA_ARG_SLOT_SAVE_PATH ${fakeCommand(`--journal ${journal} -np 2`)}`

t.test('an engine that can not is not asked again', async (t) => {
  const rig = await setUp(t, '', {}, withoutFolder)
  const paths = (): readonly unknown[] =>
    readJournal(rig.journal).flatMap(({ path, phase }) => (phase === 'begin' ? [path] : []))
  await rig.round()
  t.ok(paths().includes('/slots/0'))
  const before = paths().length
  await rig.round()
  t.notOk(paths().slice(before).includes('/slots/0'))
  t.equal(warnings(rig).length, 1)
})

t.test('an engine whose command says where slots are saved is left alone', async (t) => {
  const { agent, order, kept, log, actions } = await setUp(t, '--slot-save-path /nowhere/at/all')
  t.match(await agent.swap(order(kept)), { outcome: 'ready' })
  t.match(log.messages, [/^warn .*saveSlots/])
  await agent.close()
  t.same(actions(), [])
})

t.test('a file that the engine refuses costs its conversation and is removed', async (t) => {
  const rig = await setUp(t)
  await rig.round()
  await rig.round()
  const [name = ''] = await readdir(rig.folder)
  await writeFile(join(rig.folder, name), 'not what it was')
  t.equal(await rig.round(), 0)
  t.equal(warnings(rig).length, 1)
  t.ok((await rig.round()) > 8, 'the next one is kept again')
})

t.test('who does not ask for it keeps nothing', async (t) => {
  const rig = await setUp(t, '', { saveSlots: undefined } as unknown as Partial<ModelConfig>)
  await rig.round()
  t.equal(await rig.round(), 0)
  t.same(rig.actions(), [])
})

t.test('a stop that must not wait saves nothing', async (t) => {
  const rig = await setUp(t)
  const loaded = await rig.agent.swap(rig.order(rig.kept))
  t.equal(loaded.outcome, 'ready')
  await rig.agent.destroy()
  t.same(rig.actions(), [])
})
