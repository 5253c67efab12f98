import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { createLedger, readLedger } from '../../src/fake/ledger.ts'
import { readyFake, startFake } from './support/fake.ts'
import { ask } from './support/http.ts'
import { readJournal } from './support/journal.ts'
import { until } from './support/until.ts'

t.test('--load-ms: 503 until the load is over', async (t) => {
  const startedAt = performance.now()
  const engine = await startFake(t, '--load-ms 150')
  let loading = 0
  await until('ready', async () => {
    const { status } = await ask(engine.port, '/health')
    if (status === 503) loading += 1
    return status === 200
  })
  t.ok(loading > 0)
  t.ok(performance.now() - startedAt >= 150)
})

t.test('SIGTERM while it loads kills it', async (t) => {
  const engine = await startFake(t, '--load-ms 60000')
  await until('it loads', async () => (await ask(engine.port, '/health')).status === 503)
  engine.kill('SIGTERM')
  t.match(await engine.exited, { code: null, signal: 'SIGTERM' })
})

t.test('--health-404 has no such route, and serves all the same', async (t) => {
  const engine = await startFake(t, '--health-404')
  await until('ready', async () => (await ask(engine.port, '/v1/models')).status === 200)
  t.equal((await ask(engine.port, '/health')).status, 404)
})

t.test('--health-slow-ms answers late', async (t) => {
  const engine = await startFake(t, '--health-slow-ms 120')
  await until('it listens', async () => (await ask(engine.port, '/v1/models')).status === 200)
  const askedAt = performance.now()
  t.equal((await ask(engine.port, '/health')).status, 200)
  t.ok(performance.now() - askedAt >= 118)
})

t.test('--health-hang takes the request and says nothing, while others are answered', async (t) => {
  const engine = await startFake(t, '--health-hang')
  await until('ready', async () => (await ask(engine.port, '/v1/models')).status === 200)
  const answered = ask(engine.port, '/health').then(() => 'answered')
  const other = ask(engine.port, '/v1/models').then(({ status }) => status)
  t.equal(await Promise.race([answered, other]), 200)
})

t.test('--no-listen runs and opens no port', async (t) => {
  const engine = await startFake(t, '--no-listen')
  await until('it has loaded', () => engine.stderr().includes('model loaded'))
  t.equal((await ask(engine.port, '/health')).error, 'ECONNREFUSED')
  t.notOk(engine.hasExited())
})

t.test('--exit-at-ms and --exit-code', async (t) => {
  const engine = await startFake(t, '--exit-at-ms 50 --exit-code 7')
  t.match(await engine.exited, { code: 7 })
})

t.test('--crash-at load tells why, --oom as a GPU would', async (t) => {
  const broken = await startFake(t, '--crash-at load')
  t.match(await broken.exited, { code: 1 })
  t.match(broken.stderr(), /error loading model/)
  const large = await startFake(t, '--crash-at load --oom --load-ms 30')
  t.match(await large.exited, { code: 1 })
  t.match(large.stderr(), /cudaMalloc failed: out of memory/)
})

t.test('--crash-at idle falls over without being asked anything', async (t) => {
  const engine = await readyFake(t, '--crash-at idle')
  t.match(await engine.exited, { code: 134 })
  t.match(engine.stderr(), /GGML_ASSERT/)
})

t.test('--vram-mb: the second model finds no room until the first has given it back', async (t) => {
  const file = join(scratch(t), 'gpu.json')
  createLedger(file, 24_000)
  const switches = `--vram-mb 20000 --release-ms 200 --gpu-file ${file}`
  const first = await readyFake(t, switches)
  const second = await startFake(t, switches)
  t.match(await second.exited, { code: 1 })
  t.match(second.stderr(), /allocating 20000.00 MiB on device 0: cudaMalloc failed: out of memory/)
  first.kill('SIGTERM')
  t.match(await first.exited, { code: 0 })
  t.equal(readLedger(file).usedMb, 20_000, 'freed late')
  await until('the memory is free', () => readLedger(file).usedMb === 0)
  await readyFake(t, switches)
})

t.test('--log-rate writes lines of the length that was asked for', async (t) => {
  const engine = await readyFake(t, '--log-rate 2000 --log-bytes 50')
  const lines = (): string[] => engine.stderr().match(/^log \d+ \.*$/gm) ?? []
  await until('a hundred lines', () => lines().length >= 100)
  t.ok(lines().every((line) => line.length === 49))
})

t.test('switches that it does not know are logged and passed over', async (t) => {
  const engine = await readyFake(t, '-ngl 99 --jinja')
  t.match(engine.stderr(), /ignored argument: -ngl\n[^]*ignored argument: --jinja\n/)
})

t.test('a wrong switch ends it with a sentence', async (t) => {
  const engine = await startFake(t, '--load-ms soon')
  t.match(await engine.exited, { code: 1 })
  t.match(engine.stderr(), /"soon" is not a number/)
})

t.test('--journal has a line for all that happens', async (t) => {
  const journal = join(scratch(t), 'journal.jsonl')
  const engine = await readyFake(t, `--journal ${journal}`)
  await ask(engine.port, '/v1/chat/completions', { messages: [] })
  engine.kill('SIGTERM')
  await engine.exited
  const common = { time: Number, pid: engine.pid, model: 'the-alias' }
  const request = { ...common, event: 'request', request: 1, method: 'POST', path: '/v1/chat/completions' }
  t.match(readJournal(journal), [
    { ...common, event: 'start', port: engine.port },
    { ...common, event: 'ready' },
    { ...request, phase: 'begin' },
    { ...request, phase: 'end' },
    { ...common, event: 'signal', signal: 'SIGTERM' },
    { ...common, event: 'exit', code: 0, reason: 'SIGTERM' },
  ])
})
