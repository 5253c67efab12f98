import { createHash } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { SwapResult } from '@lswap/core'
import { answerJson, fail } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { model } from './support/config.ts'
import type { FakeForward } from './support/fake-agent.ts'
import { chatHead, rawClient } from './support/raw-client.ts'
import { startRig } from './support/rig.ts'

const MIB = 1024 * 1024

/** A load that goes on until the test ends it. */
const gate = () => {
  let open: (() => void) | undefined
  const opened = new Promise<SwapResult | undefined>((resolve) => {
    open = () => resolve(undefined)
  })
  return { load: () => opened, open: () => open?.() }
}

const sha = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

const answerHash = async (forward: FakeForward): Promise<void> => {
  const body = await forward.body()
  answerJson({ length: body.length, sha: sha(body) })(forward)
}

const filler = (bytes: number): string => '0123456789abcdef'.repeat(bytes / 16)
const largeBody = (bytes: number): string => `{"model":"a","x":"${filler(bytes)}"}`

/** Bodies of this process that lie in files without a name, where the system tells. */
const openFiles = (): number => {
  if (process.platform !== 'linux') return 0
  let count = 0
  for (const file of readdirSync('/proc/self/fd')) {
    try {
      if (/\/lswap-.* \(deleted\)$/.test(readlinkSync(`/proc/self/fd/${file}`))) count += 1
    } catch {
      // It was closed since
    }
  }
  return count
}

t.beforeEach((t) => {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = scratch(t)
  t.teardown(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
})

t.test('what waits is taken from its client whole, beyond a mebibyte into a file that has no name', async (t) => {
  const { load, open } = gate()
  const limits = { waitingBodyMemory: 2 * MIB }
  const { port, agent } = await startRig(t, { load, limits, answer: (forward) => void answerHash(forward) })
  const body = largeBody(32 * MIB)
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.send(chatHead(`Content-Length: ${body.length}`))
  client.send(body)
  await until('the load has begun', () => agent.swaps.length === 1)
  await until('the client has sent all', () => client.socket.writableLength === 0)
  if (process.platform === 'linux') t.equal(openFiles(), 1)
  t.same(readdirSync(process.env['TMPDIR'] ?? ''), [], 'nothing is left if this process ends now')
  open()
  await client.has(`"sha":"${sha(body)}"`)
  t.equal(agent.forwards[0]?.request.body.length, body.length)
  await until('the file is closed', () => openFiles() === 0)
})

t.test('a body that waited in a file is sent again from its start', async (t) => {
  // With a filter nothing is forwarded before all is here
  const models = [model('a', { useModelName: 'a' })]
  const { port, agent } = await startRig(t, {
    models,
    answer: (forward) => {
      if (agent.forwards.length % 2 === 0) void answerHash(forward)
      else forward.request.body.rest?.once('data', () => fail(forward, 'upstream_died'))
    },
  })
  const body = largeBody(4 * MIB)
  for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
    const told = await ask(port, { body, headers })
    t.match(JSON.parse(told.text), { length: body.length, sha: sha(body) })
  }
  t.equal(agent.forwards.length, 4)
  await until('the files are closed', () => openFiles() === 0)
})

t.test('a client that leaves while its large body waits is noticed, and its file goes', async (t) => {
  const { load } = gate()
  const { port, agent, log } = await startRig(t, { load })
  const client = await rawClient(port)
  client.send(chatHead(`Content-Length: ${64 * MIB}`))
  client.send(largeBody(8 * MIB).slice(0, -2))
  await until('the load has begun', () => agent.swaps.length === 1)
  await until('the client has sent its part', () => client.socket.writableLength === 0)
  client.socket.destroy()
  await until('it is recorded', () => log.lines.some(({ fields }) => fields['status'] === 499))
  await until('the file is closed', () => openFiles() === 0)
  t.same([agent.forwards.length, log.bugs().length], [0, 0])
})

t.test('the files of all waiting bodies together have a bound, and give their space back', async (t) => {
  const { load, open } = gate()
  const limits = { waitingBodyDisk: 8 * MIB }
  const { port, log } = await startRig(t, { load, limits, answer: (forward) => void answerHash(forward) })
  const asked = [1, 2].map(() => ask(port, { body: largeBody(6 * MIB) }))
  const refused = await Promise.race(asked)
  t.match([refused.status, errorOf(refused).code], [429, 'resource_exhausted'])
  t.match(refused.headers['retry-after'], /^\d+$/)
  open()
  t.same(
    (await Promise.all(asked)).map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 429],
  )
  t.equal((await ask(port, { body: largeBody(8 * MIB) })).status, 200, 'its space came back')
  t.same(log.bugs(), [])
})

t.test('without a place for files what does not fit into memory is refused', async (t) => {
  process.env['TMPDIR'] = '/nowhere/at/all'
  const { load, open } = gate()
  const { port, agent } = await startRig(t, { load, answer: (forward) => void answerHash(forward) })
  const told = await ask(port, { body: largeBody(4 * MIB) })
  t.match([told.status, errorOf(told)], [429, { code: 'resource_exhausted', message: /ENOENT/ }])
  open()
  t.equal((await ask(port, { body: largeBody(MIB / 2) })).status, 200)
  const ready = await ask(port, { body: largeBody(4 * MIB) })
  t.equal(ready.status, 200, 'a body that need not wait needs no file')
  t.equal(agent.forwards.length, 2)
})

t.test('filters edit what lies in a file, too', async (t) => {
  const strip = { stripParams: ['x', 'y'], setParams: [{ key: 'z', json: '1' }], setParamsById: [] }
  const { port, agent } = await startRig(t, {
    models: [model('a', { filters: strip, useModelName: 'other' })],
    answer: (forward) => void answerHash(forward),
  })
  const long = filler(3 * MIB)
  const expected = `{"k":"${long}","model":"other","z":1,"l":2}`
  const told = await ask(port, { body: `{"x":"${long}","k":"${long}","model":"a","y":"${long}","l":2}` })
  t.match(JSON.parse(told.text), { length: expected.length, sha: sha(expected) })
  t.equal(agent.forwards[0]?.request.body.length, expected.length)
})
