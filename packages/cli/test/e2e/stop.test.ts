import t from 'tap'
import { chat, eventsOf } from './chat.ts'
import { start } from './command.ts'
import { gone } from './processes.ts'
import { enginesAlive, served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

const starts = ({ event }: { event: string }): boolean => event === 'start'

t.test('SIGTERM lets a running request end, and leaves no process', async (t) => {
  const { url, signal, ended, journal } = await served(t, { models: { a: '--tokens 20 --tps 20' } })
  const streamed = await chat(url, 'a', { stream: true, maxTokens: 20 })
  signal('SIGTERM')
  t.equal(eventsOf(await streamed.text()).at(-1), '[DONE]')
  t.match(await ended, { code: 0, signal: null })
  t.same(await enginesAlive(journal), [])
})

t.test('Ctrl-C with nothing to do ends with 130, and leaves no process', async (t) => {
  const { url, signal, ended, journal } = await served(t, { models: { a: '' } })
  await (await chat(url, 'a')).text()
  signal('SIGINT')
  t.match(await ended, { code: 130, signal: null })
  t.same(await enginesAlive(journal), [])
})

t.test('a second Ctrl-C cuts a running request and kills an engine that does not listen', async (t) => {
  const { url, signal, ended, journal, logged, stderr } = await served(t, {
    models: { a: '--tokens 100000 --tps 10 --ignore-sigterm' },
    yaml: 'drainTimeoutMs: 120000\n',
  })
  const streamed = await chat(url, 'a', { stream: true, maxTokens: 100_000 })
  const began = performance.now()
  signal('SIGINT')
  // Two signals at once may arrive as one
  await logged('SIGINT: stopping')
  signal('SIGINT')
  t.match(await ended, { code: 130, signal: null })
  t.ok(performance.now() - began < 60_000, 'long before the end of the drain')
  await t.rejects(async () => {
    const events = eventsOf(await streamed.text())
    if (events.at(-1) !== '[DONE]') throw new Error('cut')
  })
  t.same(await enginesAlive(journal), [])
  t.notMatch(stderr(), 'a bug in lswap')
})

t.test('Ctrl-C while a model loads', async (t) => {
  const { url, signal, ended, journal } = await served(t, { models: { slow: '--load-ms 60000' } })
  const waiting = start(['load', 'slow'], { env: { LSWAP_URL: url } })
  await journal.saw('slow starts', starts)
  signal('SIGINT')
  t.match(await ended, { code: 130, signal: null })
  const command = await waiting.ended
  t.not(command.code, 0)
  t.match(command.stderr, 'error: ')
  t.same(await enginesAlive(journal), [])
})

t.test('a router that is killed leaves no engine', async (t) => {
  const { url, signal, ended, journal } = await served(t, { models: { a: '' } })
  await (await chat(url, 'a')).text()
  const { pid } = await journal.saw('a starts', starts)
  signal('SIGKILL')
  t.match(await ended, { signal: 'SIGKILL' })
  t.ok(await gone(pid))
})
