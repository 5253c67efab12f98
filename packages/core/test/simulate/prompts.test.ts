import t from 'tap'
import {
  createPicker,
  DEFAULT_FIFO,
  fleetOf,
  optionsFor,
  readTrace,
  simulate,
  type FleetSettings,
  type SimulationResult,
} from '../../src/index.ts'

const FLEET: FleetSettings = { ready: ['m1'], slots: 2, msPerToken: 10, msPerPromptToken: 1, cacheTokens: 100_000 }

const play = (lines: readonly object[], fleet: FleetSettings, use = 'least-loaded'): SimulationResult => {
  const trace = readTrace(lines.map((line) => JSON.stringify(line)).join('\n'))
  const hosts = fleetOf(fleet)
  const picker = (random: () => number) => createPicker({ use }, { random })
  return simulate(trace, hosts, optionsFor(trace, hosts, { policy: DEFAULT_FIFO, picker }))
}

const turn = (at: number, conversation: number, tokens: number) => ({
  at,
  model: 'm1',
  tokens: 10,
  prompt: { system: 0, systemTokens: 100, conversation, tokens },
})

t.test('what an engine has of a prompt it need not read', async (t) => {
  const lines = [{ kind: 'recorded' }, turn(0, 1, 1_000), turn(10_000, 1, 1_500), turn(20_000, 2, 600)]
  const { prompts, makespanMs, swaps } = play(lines, FLEET)
  t.equal(swaps, 0, 'it runs from the beginning')
  t.match(prompts, { tokens: 3_100, foundTokens: 1_010 + 100 })
  t.match(prompts?.firstTokens, { count: 3, p50Ms: 500, maxMs: 1_000 }, 'read: 1,000, 490 and 500')
  t.equal(makespanMs, 20_000 + 500 + 100)
})

t.test('a trace without prompts has none, and reads nothing', async (t) => {
  const result = play([{ kind: 'recorded' }, { at: 0, model: 'm1', tokens: 10 }], FLEET)
  t.equal(result.prompts, undefined)
  t.equal(result.makespanMs, 100)
  t.same(result.servedByHost, { local: 1 })
  t.match(result, { wastedLoads: 0, models: [{ loads: 0 }] })
})

t.test('on several hosts the picker prefix finds more than the others, and uses all of them', async (t) => {
  const params = {
    conversations: 60,
    turns: 6,
    systems: 4,
    systemTokens: 800,
    turnTokens: 200,
    meanGapMs: 4_000,
    thinkMs: 10_000,
    msPerToken: 10,
    tokens: 100,
  }
  const line = { kind: 'conversations', seed: 5, params }
  const found = (use: string): number => {
    const { prompts, servedByHost } = play([line], { ...FLEET, hosts: 3 }, use)
    const served = Object.values(servedByHost)
    t.ok(served.length === 3 && Math.min(...served) > 360 / 3 / 2, `${use}: ${served.join(', ')}`)
    return (prompts?.foundTokens ?? 0) / (prompts?.tokens ?? 1)
  }
  const [prefix, tree, least] = ['prefix', 'tree', 'least-loaded'].map(found) as [number, number, number]
  t.ok(prefix > tree + 0.1 && prefix > least + 0.1, `${prefix}, ${tree}, ${least}`)
})

t.test('a prompt is not shorter than its system prompt', async (t) => {
  t.throws(() => play([{ kind: 'recorded' }, turn(0, 1, 99)], FLEET), /line 2: prompt: the system prompt is a part/)
})
