import { epoch, generation } from '@lswap/core'
import t from 'tap'
import { createRecorder } from '../forward/support/recorder.ts'
import { get } from '../forward/support/requests.ts'
import { gateTo } from './support/gate.ts'
import { A, B, HOST, hostDouble, NO_TIME, remoteOf, serverOf, until } from './support/host.ts'
import { up, lost } from './support/watched.ts'

const ready = (number: number) => ({ outcome: 'ready', epoch: epoch(number), evictions: [], timings: NO_TIME }) as const

t.test('what has no answer when the host is lost may go elsewhere, after the loss is known', async (t) => {
  const double = await hostDouble(t)
  double.ready(A, 1)
  const first = await serverOf(t, double)
  const watched = remoteOf(t, first.url)
  await up(watched)
  const order: string[] = []
  watched.remote.subscribe(({ type }) => order.push(type))
  const told = createRecorder()
  told.hook = (event) => order.push(event)
  watched.remote.forward({ model: A, host: HOST }, epoch(1), get('/'), told)
  await (await double.engine.wire(1)).request()
  const swap = watched.remote.swap({ generation: generation(1), model: B, host: HOST, evict: [A] })
  await until('the agent has the swap', () => double.asked.swaps.get(B))
  void swap.then(() => order.push('swap'))
  const stuck = watched.remote.stop({ generation: generation(2), models: [A], drainMs: 0 })
  await stuck
  await first.kill()
  const result = await swap
  await told.over()
  t.match(result, {
    outcome: 'failed',
    failure: { code: 'host_unreachable' },
    evictions: [{ model: A, outcome: 'kept' }],
  })
  t.equal(order[0], 'host-lost')
  t.match(told.failures[0], { answered: false, failure: { code: 'host_unreachable' } })
})

t.test('a swap whose connection broke is joined again, not given twice', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const gate = await gateTo(t, url, () => false)
  const watched = remoteOf(t, gate.url)
  await up(watched)
  const result = watched.remote.swap({ generation: generation(1), model: A, host: HOST, evict: [] })
  const swap = await until('the agent has the swap', () => double.asked.swaps.get(A))
  gate.cut()
  await until('it is asked again', () => gate.paths().filter((path) => path === '/v1/swap').length === 2)
  swap.end(ready(1))
  t.match(await result, { outcome: 'ready', epoch: 1 })
  t.equal(double.asked.swapCount, 1)
})

t.test('a load that was given up with its host is ended when the host is back', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const gate = await gateTo(t, url, () => false)
  const watched = remoteOf(t, gate.url)
  await up(watched)
  const result = watched.remote.swap({ generation: generation(1), model: A, host: HOST, evict: [] })
  await until('the agent has the swap', () => double.asked.swaps.get(A))
  gate.refuse(true)
  await lost(watched)
  t.match(await result, { outcome: 'failed' })
  gate.refuse(false)
  await up(watched, 2)
  t.equal(double.asked.aborted.length, 1)
})
