import { busyEngine } from './support/busy.ts'
import { fact } from './support/fact.ts'
import { ask, chatBody, chatText, openRaw } from './support/http.ts'
import { readyEngine, startEngine } from './support/running.ts'
import type { Exit } from './support/running.ts'
import { until } from './support/until.ts'

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  fact(`ends with code 0 at ${signal} when idle, open connections or not`, async (t, engine) => {
    const running = await readyEngine(t, engine)
    // The real one calls itself ready some milliseconds before its signal handler and its loop are there: a signal in
    // between kills it, or is lost for good. An answer proves that both are.
    const idle = openRaw(running.port, chatText({ max_tokens: 1 }))
    await until('an answer', () => idle.text().endsWith('}}'))
    const sentAt = performance.now()
    running.kill(signal)
    const exit = await running.exited
    t.match(exit, { code: 0, signal: null })
    t.ok(exit.at - sentAt < 2000, `took ${exit.at - sentAt} ms`)
    await idle.closed
  })
}

/**
 * How a busy engine ends when told to. The real one leaves its threads at work while it tears down what they use, and
 * sometimes crashes on its way out: an end that was asked for is never a crash to report.
 */
const wasAskedFor = ({ code, signal }: Exit): boolean =>
  code === 0 || code === 1 || signal === 'SIGSEGV' || signal === 'SIGABRT'

/** Long enough for a signal to be acted on, and for what was on its way to arrive. */
async function askHealth(port: number, times: number): Promise<void> {
  for (let asked = 0; asked < times; asked += 1) await ask(port, '/health')
}

// What else a real engine does at SIGTERM in the middle of an answer is a matter of luck:
// it breaks off at once, or waits for the client to leave, or hangs for good and calls itself healthy, since its signal
// handler takes a lock that it may hold already. The smaller the model the more often it hangs.
for (const stream of [true, false]) {
  fact(`sends its client nothing more after SIGTERM, and obeys a second one (stream: ${stream})`, async (t, engine) => {
    const { running, client } = await busyEngine(t, engine, { stream })
    running.kill('SIGTERM')
    await askHealth(running.port, 20)
    const { length } = client.text()
    await askHealth(running.port, 20)
    t.equal(client.text().length, length)
    t.notOk(client.text().endsWith('\r\n0\r\n\r\n'))
    running.kill('SIGTERM')
    t.ok(wasAskedFor(await running.exited))
  })
}

fact('reports its load to a router as parent, and ends with its standard input', async (t, engine) => {
  const running = await readyEngine(t, engine, { env: { LLAMA_SERVER_ROUTER_PORT: '1' } })
  const client = openRaw(running.port, chatText({ stream: true }))
  await until('the first token', () => client.text().includes('data:'))
  running.stdin.end()
  t.ok(wasAskedFor(await running.exited))
  const reports = running.stdout().match(/(?<=^cmd_child_to_router:state:)\{.*\}$/gm) ?? []
  const [first, last] = [reports.at(0), reports.at(-1)].map((text) => JSON.parse(text ?? '{}') as unknown)
  t.match(first, { state: 'loading', payload: { value: 0 } })
  t.match(last, { state: 'ready' })
})

fact('does not care for its standard input without such a parent', async (t, engine) => {
  const running = await readyEngine(t, engine)
  running.stdin.end()
  const answer = await ask(running.port, '/v1/chat/completions', chatBody({ max_tokens: 50 }))
  t.equal(answer.status, 200)
  t.notOk(running.hasExited())
})

fact('ends with code 1 when its port is taken', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const second = await startEngine(t, engine, { port })
  t.match(await second.exited, { code: 1, signal: null })
  t.match(second.stderr(), /couldn't bind HTTP server socket/)
})
