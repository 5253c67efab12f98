import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { busyEngine, refusesConnections } from './support/busy.ts'
import { FAKE } from './support/engines.ts'
import { readyFake, startFake } from './support/fake.ts'
import { ask } from './support/http.ts'
import { readJournal } from './support/journal.ts'
import { until } from './support/until.ts'

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

for (const stream of [true, false]) {
  t.test(`at SIGTERM it waits for its client to leave, and takes no other (stream: ${stream})`, async (t) => {
    const { running, client } = await busyEngine(t, FAKE, { stream })
    running.kill('SIGTERM')
    await until('it takes no connections', () => refusesConnections(running.port))
    t.notOk(running.hasExited())
    t.ok(client.isOpen())
    client.socket.destroy()
    t.match(await running.exited, { code: 0, signal: null })
  })
}

t.test('after SIGTERM it breaks a stream off when the next ping is due', async (t) => {
  const { running, client } = await busyEngine(t, FAKE, { stream: true, args: ['--sse-ping-interval', '0.1'] })
  running.kill('SIGTERM')
  await client.closed
  t.match(client.text(), /\r\n3\r\n:\n\n\r\n$/)
  t.match(await running.exited, { code: 0, signal: null })
})

t.test('--ignore-sigterm notes the signal and goes on', async (t) => {
  const journal = join(scratch(t), 'journal.jsonl')
  const engine = await readyFake(t, `--ignore-sigterm --journal ${journal}`)
  engine.kill('SIGTERM')
  await until('it is noted', () => readJournal(journal).some(({ event }) => event === 'signal'))
  t.equal((await ask(engine.port, '/health')).status, 200)
  engine.kill('SIGINT')
  t.match(await engine.exited, { code: 0 })
})

t.test('--term-ms takes its time to end', async (t) => {
  const engine = await readyFake(t, '--term-ms 150')
  const sentAt = performance.now()
  engine.kill('SIGTERM')
  const exit = await engine.exited
  t.match(exit, { code: 0 })
  t.ok(exit.at - sentAt >= 148, `took ${exit.at - sentAt} ms`)
})

t.test('--fork-child leaves a process in the group that holds the pipes', async (t) => {
  const journal = join(scratch(t), 'journal.jsonl')
  const engine = await readyFake(t, `--fork-child --ignore-sigterm --journal ${journal}`, { group: true })
  process.kill(engine.pid, 'SIGKILL')
  await until('the engine itself is gone', () => engine.hasExited())
  const closed = engine.exited.then(() => 'closed')
  t.equal(await Promise.race([closed, ask(engine.port, '/health').then(({ error }) => error)]), 'ECONNREFUSED')
  process.kill(-engine.pid, 'SIGTERM')
  t.ok(runs(-engine.pid), 'the grandchild ignores SIGTERM as well')
  process.kill(-engine.pid, 'SIGKILL')
  t.match(await engine.exited, { signal: 'SIGKILL' })
})

t.test('--wrapper is another process than the engine, and ends with the same code', async (t) => {
  const journal = join(scratch(t), 'journal.jsonl')
  const wrapper = await readyFake(t, `--wrapper --journal ${journal}`, { group: true })
  const [start] = readJournal(journal)
  t.not(start?.pid, wrapper.pid)
  process.kill(start?.pid ?? 0, 'SIGTERM')
  t.match(await wrapper.exited, { code: 0 })
  const failing = await startFake(t, '--wrapper --exit-at-ms 10 --exit-code 9', { group: true })
  t.match(await failing.exited, { code: 9 })
})

t.test('--wrapper passes no signal on', async (t) => {
  const wrapper = await readyFake(t, '--wrapper', { group: true })
  wrapper.kill('SIGTERM')
  await until('the wrapper is gone', () => wrapper.hasExited())
  t.equal((await ask(wrapper.port, '/health')).status, 200)
})

t.test('the engine outlives a parent that no longer reads', async (t) => {
  const engine = await readyFake(t, '--log-rate 1000')
  engine.closeOutputs()
  const lines = (): Promise<number | undefined> => ask(engine.port, '/health').then(({ status }) => status)
  for (let asked = 0; asked < 5; asked += 1) t.equal(await lines(), 200)
  t.notOk(engine.hasExited())
})
