import { generation } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { model } from '../process/support/models.ts'
import { runs, until } from '../process/support/poll.ts'
import { agentProcess } from './support/agent-process.ts'
import { agentOf } from './support/agents.ts'
import { chat } from './support/exchange.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const { LSWAP_TEST_LLAMA_SERVER: engine, LSWAP_TEST_GGUF_A: gguf, LSWAP_TEST_SKIP_REASON: reason } = process.env
const missing = engine === undefined || gguf === undefined
const options = { skip: missing ? (reason ?? 'LSWAP_TEST_LLAMA_SERVER and LSWAP_TEST_GGUF_A are not set') : false }

// A llama-server that has a parent to follow hangs when it is only signalled.
t.test('a real llama-server is ready, tells its slots and ends long before it would be killed', options, async (t) => {
  const cmd = `${engine} -m ${gguf} --port \${PORT} -c 512 -np 2 --no-warmup -t 1`
  for (const onAgentExit of ['stop', 'keep'] as const) {
    const real = model('real', { cmd, onAgentExit, unloadTimeoutMs: 30_000 })
    const { agent, order } = await agentOf(t, [real], scratch(t))
    t.match(await agent.swap(order(real)), { outcome: 'ready', slots: 2 }, onAgentExit)
    const [view] = await agent.processes()
    t.match(await agent.stop({ generation: generation(99), models: [real.id], drainMs: 0 }), [{ outcome: 'stopped' }])
    t.notMatch((await agent.processes())[0]?.lastExit?.signal, 'SIGKILL', onAgentExit)
    t.notOk(await runs(view?.pid ?? 0))
    await agent.close()
  }
})

t.test('a real llama-server outlives a killed agent, and the next one takes it over', options, async (t) => {
  const cmd = `${engine} -m ${gguf} --port \${PORT} -c 512 -np 2 --no-warmup -t 1`
  const real = model('real', { cmd, onAgentExit: 'keep', unloadTimeoutMs: 30_000 })
  const stateDir = scratch(t)
  const { child, ended, pids } = await agentProcess(t, { stateDir, models: [real] })
  child.kill('SIGKILL')
  await ended
  const { agent, order } = await agentOf(t, [real], stateDir)
  const [pid = 0] = pids
  t.match((await agent.processes())[0], { phase: 'ready', pid, slots: 2 })
  const swapped = await agent.swap(order(real))
  t.match(swapped, { outcome: 'ready' })
  t.match(await agent.logs(real.id, 1_000), [/taken over from an earlier agent/])
  if (swapped.outcome !== 'ready') return
  const answer = await chat(agent, real, swapped.epoch, { max_tokens: 4 }).over
  t.match(answer, { status: 200 })
  t.match(await agent.stop({ generation: generation(99), models: [real.id], drainMs: 0 }), [{ outcome: 'stopped' }])
  t.notOk(await runs(pid))
})

t.test('a real llama-server tells its queue and how full its context is', options, async (t) => {
  const cmd = `${engine} -m ${gguf} --port \${PORT} -c 65536 -np 2 --no-warmup -t 1 --metrics`
  const real = model('real', { cmd, unloadTimeoutMs: 30_000 })
  const { agent, order } = await agentOf(t, [real], scratch(t))
  const swapped = await agent.swap(order(real))
  t.match(swapped, { outcome: 'ready' })
  if (swapped.outcome !== 'ready') return
  const told = async () => (await agent.metrics()).processes[0]?.engine
  await until('it tells', async () => (await told()) !== null)
  t.match(await told(), { running: 0, deferred: 0, kv: 0 })
  const asked = chat(agent, real, swapped.epoch, { max_tokens: 100_000, stream: true })
  await asked.begun
  await until('its busy slot is seen', async () => ((await told())?.kv ?? 0) > 0)
  t.match(await told(), { running: 1 })
  asked.forwarding.abort()
  await until('nothing holds the context any more', async () => (await told())?.kv === 0)
  t.equal((await told())?.kv, 0)
  t.ok(Date.now() - ((await told())?.sampledAt ?? 0) < 10_000)
})
