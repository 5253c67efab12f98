import t from 'tap'
import { chat, eventsOf } from './chat.ts'
import type { JournalLine } from './journal.ts'
import { served, type Served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

const TOKENS = 60
/** Ten edits over some two seconds: one each fourth token of twenty a second. */
const TOKENS_PER_EDIT = 4

const more = (id: string, line: string) => (text: string) => text.replace(`  "${id}":\n`, `  "${id}":\n    ${line}\n`)
const parallel = (from: number, to: number) => (text: string) => text.replace(`--parallel ${from}`, `--parallel ${to}`)

/** What is edited, one after the other: model d starts otherwise, others only behave otherwise. */
const EDITS: readonly ((text: string) => string)[] = [
  more('a', 'ttl: 600'),
  (text) => text.replace('  "d":', '  "e":\n    cmd: "nothing ${PORT}"\n  "d":'),
  parallel(4, 5),
  (text) => `${text}cors: [http://pages.example]\n`,
  (text) => text.replace('cors:', 'corrs:'),
  (text) => text.replace('corrs:', 'cors:'),
  parallel(5, 6),
  more('b', 'aliases: [b2]'),
  (text) => text.replace('  "e":\n    cmd: "nothing ${PORT}"\n', ''),
  (text) => `${text}routing: { scheduler: { use: fifo } }\n`,
]

const BROKEN = EDITS.findIndex((edit) => edit('cors:') === 'corrs:') + 1

t.test(
  'a reload under load (10 streams on 4 models, 10 edits, one of them broken) cuts no stream of an untouched model and starts no process twice',
  async (t) => {
    const engine = `--tokens ${TOKENS} --tps 20`
    const router = await served(t, {
      models: { a: engine, b: engine, c: engine, d: `--parallel 4 ${engine}` },
      yaml: 'groups: { all: { swap: false, members: [a, b, c, d] } }\n',
    })
    const { url, edit, journal } = router
    const names = ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd', 'a', 'b']
    await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => (await chat(url, name, { maxTokens: 1 })).text()))
    const streams = await Promise.all(names.map((name) => chat(url, name, { stream: true, maxTokens: TOKENS })))
    t.same(new Set(await journal.starts()), new Set(['a', 'b', 'c', 'd']))
    const [paced, ...others] = streams
    const whole = others.map((stream) => stream.text())

    const answers: Promise<Response>[] = []
    const asked: Promise<Response>[] = []
    const text = await onTokens(paced, async (token) => {
      if (token % TOKENS_PER_EDIT !== 0) return
      const change = EDITS[token / TOKENS_PER_EDIT - 1]
      if (change === undefined) return
      await edit(change)
      answers.push(fetch(`${url}/api/reload`, { method: 'POST' }))
      asked.push(chat(url, 'd', { maxTokens: 1 }))
      // The broken one stays until it was read: the next edit mends it
      if (answers.length === BROKEN) await answers.at(-1)
    })

    for (const [at, stream] of [text, ...(await Promise.all(whole))].entries()) {
      const events = eventsOf(stream)
      t.equal(events.at(-1), '[DONE]', `stream ${at + 1}, of ${names[at]}`)
      t.ok(events.length > TOKENS, `stream ${at + 1} is whole`)
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    t.equal(statuses.length, EDITS.length)
    t.equal(statuses[BROKEN - 1], 400, 'the broken one')
    t.equal(statuses.at(-1), 200)
    for (const answer of await Promise.all(asked))
      t.equal(answer.status, 200, 'who came meanwhile waited for the new one')

    const lines = await journal.lines()
    for (const name of ['a', 'b', 'c']) t.equal(startsOf(lines, name), 1, `${name} was started once`)
    t.ok(startsOf(lines, 'd') >= 2, 'd was started anew')
    t.ok(neverTwo(lines, 'd'), 'and never beside itself')
    await lastDefinitionRuns(t, router)
  },
)

const lastDefinitionRuns = async (
  t: { match(found: unknown, wanted: object): unknown },
  { url }: Served,
): Promise<void> => {
  await (await chat(url, 'd', { maxTokens: 1 })).text()
  const props = await fetch(`${url}/props?model=d`)
  t.match(await props.json(), { total_slots: 6 })
}

/** Reads a stream to its end and tells each of its tokens as it comes. */
const onTokens = async (response: Response | undefined, told: (token: number) => Promise<void>): Promise<string> => {
  let text = ''
  let tokens = 0
  const decoder = new TextDecoder()
  for await (const chunk of (response?.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const seen = eventsOf(text).length
    while (tokens < seen) {
      tokens += 1
      await told(tokens)
    }
  }
  return text
}

const startsOf = (lines: readonly JournalLine[], name: string): number =>
  lines.filter(({ event, model }) => event === 'start' && model === name).length

/** Whether each process of a model ended before the next one started. */
const neverTwo = (lines: readonly JournalLine[], name: string): boolean => {
  let alive = 0
  for (const { event, model } of lines) {
    if (model !== name) continue
    if (event === 'start') alive += 1
    if (event === 'exit') alive -= 1
    if (alive > 1) return false
  }
  return true
}
