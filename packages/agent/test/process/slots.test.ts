import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createSlotMemory } from '../../src/process/slots.ts'
import { until } from './support/poll.ts'

t.test('a later start does not wait for the slots, and a change is known to the one after it', async (t) => {
  let slots = 3
  let answered = 0
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ total_slots: slots }), () => {
      answered += 1
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const target = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, basePath: '' }
  const recall = createSlotMemory()

  t.equal(await recall(target), 3)
  slots = 5
  t.equal(await recall(target), 3, 'as the last start told')
  t.equal(answered, 1, 'without asking first')
  await until('the engine was asked again', async () => (await recall(target)) === 5)
})

t.test('an engine that tells nothing is asked at each start', async (t) => {
  const recall = createSlotMemory()
  const nobody = { host: '127.0.0.1', port: 1, basePath: '' }
  t.equal(await recall(nobody), undefined)
  t.equal(await recall(nobody), undefined)
})
