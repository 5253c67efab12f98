import { generation } from '@lswap/core'
import t from 'tap'
import { model } from '../process/support/models.ts'
import { runs } from '../process/support/poll.ts'
import { agentOf } from './support/agents.ts'

// Real processes take their time on a busy machine.
t.setTimeout(120_000)

const { LSWAP_TEST_LLAMA_SERVER: engine, LSWAP_TEST_GGUF_A: gguf, LSWAP_TEST_SKIP_REASON: reason } = process.env
const missing = engine === undefined || gguf === undefined
const options = { skip: missing ? (reason ?? 'LSWAP_TEST_LLAMA_SERVER and LSWAP_TEST_GGUF_A are not set') : false }

// A llama-server that has a parent to follow hangs when it is only signalled.
t.test('a real llama-server is ready, tells its slots and ends long before it would be killed', options, async (t) => {
  const cmd = `${engine} -m ${gguf} --port \${PORT} -c 512 -np 2 --no-warmup -t 1`
  for (const onAgentExit of ['stop', 'keep'] as const) {
    const real = model('real', { cmd, onAgentExit, unloadTimeoutMs: 30_000 })
    const { agent, order } = await agentOf(t, [real], t.testdir({}))
    t.match(await agent.swap(order(real)), { outcome: 'ready', slots: 2 }, onAgentExit)
    const [view] = await agent.processes()
    t.match(await agent.stop({ generation: generation(99), models: [real.id], drainMs: 0 }), [{ outcome: 'stopped' }])
    t.notMatch((await agent.processes())[0]?.lastExit?.signal, 'SIGKILL', onAgentExit)
    t.notOk(await runs(view?.pid ?? 0))
    await agent.close()
  }
})
