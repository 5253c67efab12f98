import { refusesConnections, terminatedWhileBusy } from './support/busy.ts'
import { fact } from './support/fact.ts'
import { ask, chatBody, chatText, getText, openRaw } from './support/http.ts'
import { readyEngine, startEngine } from './support/running.ts'
import { until } from './support/until.ts'

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  fact(`ends with code 0 at ${signal} when idle, open connections or not`, async (t, engine) => {
    const running = await readyEngine(t, engine)
    const idle = openRaw(running.port, getText('/health'))
    await until('an answer', () => idle.text().includes('ok'))
    const sentAt = performance.now()
    running.kill(signal)
    const exit = await running.exited
    t.match(exit, { code: 0, signal: null })
    t.ok(exit.at - sentAt < 2000, `took ${exit.at - sentAt} ms`)
    await idle.closed
  })
}

for (const stream of [true, false]) {
  fact(`waits at SIGTERM for its client to leave, and sends it nothing more (stream: ${stream})`, async (t, engine) => {
    const { running, client } = await terminatedWhileBusy(t, engine, { stream })
    const refused = async (): Promise<number> => {
      t.ok(await refusesConnections(running.port))
      return client.text().length
    }
    // What was on its way arrives; what would be made meanwhile, at a token each millisecond, does not.
    await until('nothing more arrives', async () => (await refused()) === (await refused()))
    const { length } = client.text()
    for (let asked = 0; asked < 20; asked += 1) t.equal(await refused(), length)
    t.notOk(running.hasExited())
    t.ok(client.isOpen())
    client.socket.destroy()
    const leftAt = performance.now()
    const exit = await running.exited
    t.match(exit, { code: 0, signal: null })
    t.ok(exit.at - leftAt < 3000, `took ${exit.at - leftAt} ms`)
  })
}

fact('breaks a stream off after SIGTERM when its next ping is due', async (t, engine) => {
  const { running, client } = await terminatedWhileBusy(t, engine, { stream: true, args: ['--sse-ping-interval', '1'] })
  await client.closed
  t.notOk(client.text().endsWith('\r\n0\r\n\r\n'))
  t.match(await running.exited, { code: 0 })
})

fact('ends with code 1 at a second SIGTERM, whoever waits', async (t, engine) => {
  const { running } = await terminatedWhileBusy(t, engine, { stream: true })
  running.kill('SIGTERM')
  t.match(await running.exited, { code: 1, signal: null })
})

fact('reports its load to a router as parent, and ends with its standard input', async (t, engine) => {
  const running = await readyEngine(t, engine, { env: { LLAMA_SERVER_ROUTER_PORT: '1' } })
  const client = openRaw(running.port, chatText({ stream: true }))
  await until('the first token', () => client.text().includes('data:'))
  running.stdin.end()
  const { code, signal } = await running.exited
  // The real one leaves its threads at work while it tears down what they use, and sometimes crashes on its way out.
  t.ok(code === 1 || signal === 'SIGSEGV' || signal === 'SIGABRT', `ended with ${code ?? signal}`)
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
