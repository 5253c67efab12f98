import t from 'tap'
import { chat, eventsOf } from './chat.ts'
import { start } from './command.ts'
import { isChat } from './journal.ts'
import { gone } from './processes.ts'
import { served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

t.test('an unload lets a running request end first', async (t) => {
  const { url, lswap, journal } = await served(t, { models: { a: '--tokens 20 --tps 20' } })
  const streamed = await chat(url, 'a', { stream: true, maxTokens: 20 })
  const unloading = lswap('unload', 'a')
  const events = eventsOf(await streamed.text())
  t.equal(events.at(-1), '[DONE]')
  t.match(await unloading, { code: 0, stdout: 'a is unloaded\n' })
  const exit = await journal.saw('a ended', ({ event }) => event === 'exit')
  const end = await journal.saw('the request ended', ({ phase }) => phase === 'end')
  t.ok(end.time <= exit.time)
})

t.test('--force and --timeout cut it, and the client notices', async (t) => {
  for (const flags of [['--force'], ['--timeout', '0.2']]) {
    const { url, lswap, journal } = await served(t, { models: { a: '--tokens 100000 --tps 10' } })
    const streamed = await chat(url, 'a', { stream: true, maxTokens: 100_000 })
    t.match(await lswap('unload', 'a', ...flags), { code: 0, stdout: 'a is unloaded\n' })
    const events = eventsOf(await streamed.text())
    t.not(events.at(-1), '[DONE]')
    t.match(JSON.parse(events.at(-1) ?? ''), { error: { code: 'unloaded' } })
    const { pid } = await journal.saw('a started', ({ event }) => event === 'start')
    t.ok(await gone(pid), 'its process is gone')
    t.equal((await chat(url, 'a')).status, 200, 'and it is there again when asked for')
  }
})

t.test('Ctrl-C at a waiting load ends the command, not the router', async (t) => {
  const { url, journal } = await served(t, { models: { slow: '--load-ms 60000', a: '' } })
  const waiting = start(['load', 'slow'], { env: { LSWAP_URL: url } })
  await journal.saw('slow starts', ({ event }) => event === 'start')
  waiting.child.kill('SIGINT')
  t.match(await waiting.ended, { code: 130, signal: null, stdout: '', stderr: /Interrupted/ })
  t.equal((await chat(url, 'a')).status, 200, 'the load that nobody waits for makes room')
})

t.test('a client that leaves frees the engine', async (t) => {
  const { url, journal } = await served(t, { models: { a: '--tokens 100000 --tps 10' } })
  const leave = new AbortController()
  const streamed = await chat(url, 'a', { stream: true, maxTokens: 100_000, signal: leave.signal })
  await journal.saw('the request began', isChat('begin'))
  leave.abort()
  await t.rejects(streamed.text(), { name: 'AbortError' })
  t.ok(await journal.saw('the engine saw it leave', isChat('aborted')))
})
