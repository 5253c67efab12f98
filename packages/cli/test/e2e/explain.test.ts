import t from 'tap'
import { chat, contentOf, eventsOf } from './chat.ts'
import { served, type Served } from './served.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

interface Explained {
  readonly state: string
  readonly durationMs: number
  readonly spans: readonly {
    readonly type: string
    readonly text: string
    readonly ms: number
    readonly from: number
  }[]
}

const waitingIn = async ({ lswap }: Served): Promise<readonly { id: number; model: string; why: string }[]> =>
  (JSON.parse((await lswap('queue', '--json')).stdout) as { waiting: { id: number; model: string; why: string }[] })
    .waiting

const explained = async ({ lswap }: Served, id: number): Promise<Explained> =>
  JSON.parse((await lswap('explain', String(id), '--json')).stdout) as Explained

t.test('one who waits can see behind whom and why, and afterwards where the time went', async (t) => {
  const models = { a: '--tokens 20 --tps 10', b: '--load-ms 300', c: '--load-ms 1500' }
  const router = await served(t, { models })
  const { url, lswap, journal } = router
  const streamed = await chat(url, 'a', { stream: true, maxTokens: 20 })
  // Stopped as long as it is looked at: each look is a process, and machines are slow
  const { pid: engineOfA } = await journal.saw('a runs', ({ event, model }) => event === 'start' && model === 'a')
  process.kill(engineOfA, 'SIGSTOP')
  const asked = performance.now()
  const batch = chat(url, 'b', { headers: { 'X-LlamaSwap-Priority': '-5' } })
  await until('b waits', async () => ((await waitingIn(router)).length === 1 ? true : undefined))
  const urgent = chat(url, 'c', { headers: { 'X-Lswap-Priority': '5' } })
  const [first, second] = await until('both wait', async () => {
    const waiting = await waitingIn(router)
    return waiting.length === 2 ? waiting : undefined
  })
  t.match([first, second], [{ model: 'c' }, { model: 'b' }], 'the urgent one is first in line')
  t.match(first?.why, /^draining a: 1 request still runs, cut in \d+ s at the latest$/)
  t.match((await lswap('queue')).stdout, / 1 +\d+ +c +urgent +5 .*draining a: 1 request/)
  const shown = await lswap('explain', String(first?.id))
  t.match(
    shown.stdout,
    /^request \d+ for c: waiting for .*\npriority 5 \(urgent\)\nplace 1 in line: draining a: 1 request/,
  )
  process.kill(engineOfA, 'SIGCONT')
  t.equal(eventsOf(await streamed.text()).at(-1), '[DONE]')

  const { pid: engineOfC } = await journal.saw('c runs', ({ event, model }) => event === 'start' && model === 'c')
  process.kill(engineOfC, 'SIGSTOP')
  await until('c loads', async () =>
    (await waitingIn(router))[0]?.why.startsWith('loading c since') ? true : undefined,
  )
  t.match((await lswap('explain', String(first?.id))).stdout, /loading c since .*[\s\S]*draining a\n/)
  process.kill(engineOfC, 'SIGCONT')
  const answers = await Promise.all([urgent, batch])
  const wallMs = performance.now() - asked
  for (const answer of answers) t.ok((await contentOf(answer)).length > 0)
  t.same(await journal.starts(), ['a', 'c', 'b'], 'and it was')

  const id = Number(answers[1]?.headers.get('x-lswap-request-id'))
  t.equal(id, second?.id)
  const { state, spans, durationMs } = await until('b is over', async () => {
    const told = await explained(router, id)
    return told.state === 'running' ? undefined : told
  })
  t.equal(state, 'done')
  const sum = spans.reduce((total, { ms }) => total + ms, 0)
  t.ok(Math.abs(sum - durationMs) < 1, `${sum} of ${durationMs} ms are told`)
  t.ok(durationMs <= wallMs + 50 && durationMs > wallMs / 2, `${durationMs} of the client's ${wallMs} ms`)
  const kinds = spans.map(({ type, text }) => `${type} ${text}`)
  t.ok(
    kinds.some((kind) => /^waiting (draining|held for|a swap to c)/.test(kind)),
    kinds.join(', '),
  )
  t.ok(spans.some(({ type, text, ms }) => type === 'swap' && text === 'loading b' && ms >= 250))
  t.match(kinds.at(-1), /^(answer|engine) b/)
  t.match(await lswap('explain', '999999'), { code: 1, stderr: /No request 999999 is known/ })
})

t.test('a pinned model stays until it is unpinned', async (t) => {
  const { url, lswap, journal } = await served(t, { models: { a: '', b: '', c: '' } })
  t.match(await lswap('pin', 'a'), { code: 0, stdout: /^a is pinned; it is not loaded/ })
  t.equal((await chat(url, 'a')).status, 200)
  t.equal((await chat(url, 'b')).status, 200)
  t.match((await lswap('ps')).stdout, /^a +ready .* pinned$/m)
  const exits = async (): Promise<readonly string[]> =>
    (await journal.lines()).filter(({ event }) => event === 'exit').map(({ model }) => model)
  t.same(await exits(), [])
  t.match(await lswap('unpin', 'a'), { code: 0, stdout: 'a is not pinned any more\n' })
  t.equal((await chat(url, 'c')).status, 200)
  t.same((await exits()).toSorted(), ['a', 'b'])
  t.match(await lswap('pin', 'nope'), { code: 3, stderr: /nope/ })
})
