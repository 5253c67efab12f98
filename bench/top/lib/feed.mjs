// A router's feed with a hundred models and a thousand waiting requests, ten events a second or as fast as they are read.
import { once } from 'node:events'
import { createServer } from 'node:http'

const MODELS = 100
/** A feed tells the first of those who wait. */
const TOLD = 500
const WAITING = 1_000

const model = (at, now) => ({
  model: `model-${String(at).padStart(3, '0')}`,
  name: null,
  aliases: [],
  state: at % 10 === 0 ? 'ready' : 'stopped',
  pinned: false,
  waiting: WAITING / MODELS,
  waitP95Ms: 1_000 + (now % 997),
  placements: [
    {
      host: 'local',
      state: at % 10 === 0 ? 'ready' : 'stopped',
      since: now - 60_000,
      slots: 4,
      inFlight: now % 4,
      idleAt: null,
      untilAt: null,
      pid: at,
      memoryBytes: at % 10 === 0 ? 8e9 : null,
      expectedLoadMs: 4_000,
      failure: null,
    },
  ],
})

const waiting = (id, position, now) => ({
  id,
  model: `model-${String(id % MODELS).padStart(3, '0')}`,
  band: ['urgent', 'normal', 'batch'][id % 3],
  priority: 0,
  caller: 'anonymous',
  receivedAt: now,
  position,
  attempts: 0,
  estimate: { lowAt: now + 5_000, medianAt: now + 9_000, highAt: now + 20_000 },
  cause: { type: 'draining', text: `model-${id % 7} serves 3 requests and ends first` },
})

const running = (id, now) => ({
  id,
  model: 'model-000',
  band: 'normal',
  priority: 0,
  caller: 'anonymous',
  receivedAt: now - 9_000,
  host: 'local',
  grantedAt: now - 1_000,
  answeredAt: now,
})

const queue = {
  total: WAITING,
  bands: ['urgent', 'normal', 'batch'].map((band) => ({ band, depth: Math.floor(WAITING / 3), dispatched: 0 })),
}

const snapshot = (now, isIdle) => ({
  type: 'snapshot',
  at: now,
  state: {
    router: { version: '1', startedAt: now - 3_600_000, isClosing: false },
    hosts: [{ host: 'local', up: true, devices: [{ name: 'GPU 0', totalBytes: 24e9, usedBytes: 18e9, use: 0.6 }] }],
    models: Array.from({ length: MODELS }, (_, at) => model(at, now)),
    queue: isIdle ? { total: 0, bands: [] } : queue,
    waiting: isIdle ? [] : Array.from({ length: TOLD }, (_, at) => waiting(at + 1, at + 1, now)),
    running: isIdle ? [] : [running(0, now)],
    ended: [],
    swaps: [],
    rates: { requestsPerSecond: 10, tokensPerSecond: null, swapsPerMinute: 3, wastedLoads: 0 },
    notices: [],
  },
})

/** What a busy router tells: the first in line is served and everybody moves up, models and rates change. */
const change = (number, now) => {
  const first = Math.floor(number / 4) + 1
  if (number % 4 === 0) {
    const ids = Array.from({ length: TOLD }, (_, at) => first + at + 1)
    const set = [waiting(first + TOLD, TOLD, now)]
    return { type: 'waiting-changed', at: now, set, order: ids, positions: ids.map((_, at) => at + 1), queue }
  }
  if (number % 4 === 1) return { type: 'running-changed', at: now, set: [running(first, now)], order: [first] }
  if (number % 4 === 2) return { type: 'models-changed', at: now, set: [model(first % MODELS, now)], order: null }
  const rates = { requestsPerSecond: (number % 90) / 10, tokensPerSecond: null, swapsPerMinute: 3, wastedLoads: 0 }
  return { type: 'rates-changed', at: now, rates }
}

const sent = (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

export const openFeed = async () => {
  let reader
  let number = 0
  const server = createServer((request, response) => {
    if (request.url === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(sent(snapshot(Date.now(), false)))
      reader = response
    } else response.writeHead(200, { 'content-type': 'application/json' }).end('{"version":"1"}')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const tell = async () => {
    if (!reader.write(sent(change(number, Date.now())))) await once(reader, 'drain')
    number += 1
  }
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    tell,
    /** Shows all of it anew: with everybody waiting, or with nobody. */
    show: (isIdle) => reader.write(sent(snapshot(Date.now(), isIdle))),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
