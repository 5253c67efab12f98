import { epoch, generation, type Failure } from '@lswap/core'
import t from 'tap'
import { createRecorder } from '../forward/support/recorder.ts'
import { get } from '../forward/support/requests.ts'
import { A, B, HOST, hostDouble, NO_TIME, remoteOf, serverOf, until } from './support/host.ts'
import { linked } from './support/watched.ts'

const crashed: Failure = { code: 'upstream_died', message: 'it crashed' }

const ready = (number: number) =>
  ({ outcome: 'ready', epoch: epoch(number), slots: 3, evictions: [], timings: NO_TIME }) as const

t.test('a swap goes to the agent once, tells how far it is, and ends in one result', async (t) => {
  const { double, remote } = await linked(t)
  const progress: unknown[] = []
  const order = { generation: generation(7), model: A, host: HOST, evict: [B] }
  const result = remote.swap(order, (step) => progress.push(step))
  const swap = await until('the agent has the swap', () => double.asked.swaps.get(A))
  t.same(swap.evict, [B])
  swap.progress({ type: 'stopping', models: [B] })
  swap.progress({ type: 'waiting-memory' })
  swap.progress({ type: 'spawned', pid: 5 })
  swap.progress({ type: 'loading', fraction: 0.5 })
  const again = remote.swap(order)
  swap.end(ready(1))
  t.same(await again, await result, 'the same order is one')
  t.match(await result, { outcome: 'ready', epoch: 1, slots: 3 })
  t.same(
    progress.map((step) => (step as { type: string }).type),
    ['stopping', 'waiting-memory', 'spawned', 'loading'],
  )
  t.equal(double.asked.swapCount, 1)
})

t.test('an aborted swap ends as its agent says, and a stop tells what became of each model', async (t) => {
  const { double, remote } = await linked(t)
  const result = remote.swap({ generation: generation(1), model: A, host: HOST, evict: [] })
  await until('the agent has the swap', () => double.asked.swaps.get(A))
  remote.abort(generation(1))
  t.match(await result, { outcome: 'aborted' })
  const outcomes = await remote.stop({ generation: generation(2), models: [A, B], drainMs: 'never' })
  t.same(outcomes, [
    { placement: { host: HOST, model: A }, outcome: 'stopped' },
    { placement: { host: HOST, model: B }, outcome: 'stopped' },
  ])
  t.equal(double.asked.stops[0]?.drainMs, 'never')
})

t.test('an abort that overtakes its swap ends it as aborted, and nothing is started', async (t) => {
  const { remote } = await linked(t)
  const result = remote.swap({ generation: generation(1), model: A, host: HOST, evict: [] })
  remote.abort(generation(1))
  t.match(await result, { outcome: 'aborted' })
})

t.test('a request whose process has ended is refused after the event of its end', async (t) => {
  const { double, remote, events } = await linked(t, 1)
  await until('the host is there', () => events.some(({ type }) => type === 'host-returned'))
  const told = createRecorder()
  const order: string[] = []
  remote.subscribe(({ type }) => order.push(type))
  told.hook = (event) => order.push(event)
  double.crash(A, 1, crashed)
  remote.forward({ model: A, host: HOST }, epoch(1), get('/'), told)
  await told.over()
  t.same(order, ['process-exited', 'error upstream_unreachable'])
  t.equal(told.failures[0]?.answered, false)
})

t.test('a process whose end was told is not ready in a list that is older', async (t) => {
  const double = await hostDouble(t)
  double.ready(A, 1)
  const { url } = await serverOf(t, double)
  const { remote, events } = remoteOf(t, url)
  await until('the host is there', () => events.some(({ type }) => type === 'host-returned'))
  double.crash(A, 1, crashed)
  await until('the end was told', () => events.some(({ type }) => type === 'process-exited'))
  double.ready(A, 1)
  t.same(await remote.processes(), [])
  double.ready(A, 2)
  t.equal((await remote.processes())[0]?.epoch, 2)
})

t.test('an end that was told before the swap said ready is told again behind it', async (t) => {
  const double = await hostDouble(t)
  const { url } = await serverOf(t, double)
  const { remote, events } = remoteOf(t, url)
  await until('the host is there', () => events.some(({ type }) => type === 'host-returned'))
  const result = remote.swap({ generation: generation(1), model: A, host: HOST, evict: [] })
  const swap = await until('the agent has the swap', () => double.asked.swaps.get(A))
  double.crash(A, 1, crashed)
  await until('the end was told', () => events.some(({ type }) => type === 'process-exited'))
  swap.end(ready(1))
  await result
  await until('and again', () => events.filter(({ type }) => type === 'process-exited').length === 2)
  t.pass('twice')
})

t.test('logs come whole and as they grow', async (t) => {
  const { remote } = await linked(t)
  t.same(await remote.logs(A, 2), ['two', `of ${A}`])
  let text = ''
  const following = remote.followLogs(A, { tail: 0, onText: (more) => (text += more) })
  await until('what comes', () => text === 'followed\n')
  following.stop()
  t.same(remote.models(), [A, B])
})
