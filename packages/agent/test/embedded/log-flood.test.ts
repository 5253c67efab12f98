import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { atEnd } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { FAKE_ENTRY } from '../fake/support/engines.ts'
import { freePort } from '../fake/support/free-port.ts'
import { ask } from '../fake/support/http.ts'
import { fakeCommand, model } from '../process/support/models.ts'
import { until } from '../process/support/poll.ts'
import { agentOf } from './support/agents.ts'
import { chat } from './support/exchange.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const SWITCHES = '--log-rate 20000 --log-bytes 120 --tokens 100 --tps 100'

/** The port of an engine that was started by hand and whose output goes nowhere. */
const byHand = async (t: Test): Promise<number> => {
  const port = await freePort()
  const argv = [FAKE_ENTRY, '--port', String(port), ...SWITCHES.split(' ')]
  const child = spawn(process.execPath, argv, { stdio: 'ignore', env: { NODE_EXTRA_CA_CERTS: '' } })
  atEnd(t, async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await until('the engine answers', async () => (await ask(port, '/health')).status === 200)
  return port
}

const tokensMs = (body: string): number => Number(/"predicted_ms":([\d.]+)/.exec(body)?.[1])

t.test('an engine that writes twenty thousand lines a second keeps its pace', async (t) => {
  // It writes synchronously: were its output not read as fast as it comes, it would stand still
  const a = model('a', { cmd: fakeCommand(SWITCHES) })
  const { agent, order } = await agentOf(t, [a])
  const port = await byHand(t)
  const ready = await agent.swap(order(a))
  if (ready.outcome !== 'ready') throw new Error(JSON.stringify(ready))
  // At the same time: what else the machine has to do slows both
  const [ours, other] = await Promise.all([
    chat(agent, a, ready.epoch).over,
    ask(port, '/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }),
  ])
  const [oursMs, otherMs] = [tokensMs('body' in ours ? ours.body : ''), tokensMs(other.body)]
  t.ok(oursMs > 900 && oursMs < 2 * otherMs, `a second’s tokens took ${oursMs} ms, and ${otherMs} by hand`)
  const [last] = (await agent.logs(a.id, 1)).map((line) => Number(/^log (\d+) /.exec(line)?.[1]))
  t.ok((last ?? 0) > 15_000, `line ${last}`)
})
