import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { epoch, modelId } from '@lswap/core'
import t from 'tap'
import type { Test } from 'tap'
import { createScraper } from '../../src/scrape/scraper.ts'
import { createFakeTimers } from '../forward/support/fake-timers.ts'
import { until } from '../process/support/poll.ts'

const BUSY = 'llamacpp:requests_processing 1\nllamacpp:requests_deferred 2\n'
const SLOTS = JSON.stringify([{ is_processing: true, n_ctx: 100, n_prompt_tokens: 50 }])

/** An engine that answers as the test says, and a scraper of it. */
const rigOf = async (t: Test, pages: Record<string, string | undefined>, answerMs = 10_000) => {
  const asked: string[] = []
  const state = { pages, isHanging: false }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const page = state.pages[path]
    response.statusCode = page === undefined ? 501 : 200
    if (!state.isHanging) response.end(page)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const timers = createFakeTimers()
  timers.advance(1_000_000)
  const clock = { now: () => timers.now(), after: (ms: number, fire: () => void) => timers.after(ms, fire) }
  const scraper = createScraper({ clock, answerMs })
  const { port } = server.address() as AddressInfo
  const model = modelId('m')
  const running = (start: number) => [
    { model, epoch: epoch(start), target: { host: '127.0.0.1', port, basePath: '' }, sharesContext: false },
  ]
  const look = (start = 1) => scraper.samples(running(start)).get(model)
  return { asked, state, timers, scraper, look }
}

t.test('a sample says when it was taken; questions come when they are due, and never two at once', async (t) => {
  const { asked, timers, scraper, look } = await rigOf(t, { '/metrics': BUSY, '/slots': SLOTS })
  t.equal(look(), undefined, 'nobody waits for the first')
  look()
  await scraper.settled()
  t.same(look(), { running: 1, deferred: 2, kv: 0.5, sampledAt: 1_000_000 })
  t.same(asked, ['/metrics', '/slots'])
  timers.advance(1_249)
  look()
  await scraper.settled()
  t.equal(asked.length, 2)
  timers.advance(1)
  look()
  await scraper.settled()
  t.equal(look()?.sampledAt, 1_001_250)
})

t.test('an engine that does not answer in time is busy: its last sample grows old', async (t) => {
  const { state, timers, scraper, look, asked } = await rigOf(t, { '/metrics': BUSY, '/slots': SLOTS }, 1_500)
  look()
  await scraper.settled()
  state.isHanging = true
  timers.advance(2_000)
  look()
  await until('it was asked', () => asked.length === 3)
  timers.advance(5_000)
  look()
  t.equal(asked.length, 3, 'one question at a time')
  await scraper.settled()
  t.same(look(), { running: 1, deferred: 2, kv: 0.5, sampledAt: 1_000_000 })
})

t.test('a page that an engine does not have is left alone; what it has counts', async (t) => {
  const { asked, timers, scraper, look } = await rigOf(t, { '/slots': SLOTS })
  for (let round = 0; round < 3; round += 1) {
    look()
    await scraper.settled()
    timers.advance(1_250)
  }
  t.match(look(), { kv: 0.5 })
  t.equal(asked.filter((path) => path === '/metrics').length, 1)
})

t.test('an engine that tells nothing has no sample: neither idle nor busy', async (t) => {
  const { scraper, look } = await rigOf(t, {})
  look()
  await scraper.settled()
  t.equal(look(), undefined)
})

t.test('a sample of another start of the process is none of this one', async (t) => {
  const { scraper, look } = await rigOf(t, { '/metrics': 'llamacpp:requests_processing 0' })
  look(1)
  await scraper.settled()
  t.match(look(1), { kv: 0 }, 'idle slots hold nothing, they are not asked')
  t.equal(look(2), undefined)
})
