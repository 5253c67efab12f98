import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { anyFreePort } from '../../src/process/listening.ts'
import { createPortBook } from '../../src/process/port-book.ts'
import { describeHolders, portHolders } from '../../src/process/port-holder.ts'

const listen = async (t: Test, host: string): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

t.test('gives the preferred port when nobody has it', async (t) => {
  const free = (await anyFreePort()) ?? 0
  const book = createPortBook(new Set([free]))
  t.equal(await book.take(free), free)
  t.not(await book.take(free), free, 'taken by another model')
  book.release(free)
  t.equal(await book.take(free), free)
})

t.test('gives another port when a stranger listens, on whichever address', async (t) => {
  const book = createPortBook(new Set())
  for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
    const taken = await listen(t, host)
    t.not(await book.take(taken), taken, host)
  }
})

t.test('two at once never get the same port', async (t) => {
  const book = createPortBook(new Set())
  const taken = await listen(t, '127.0.0.1')
  const ports = await Promise.all(Array.from({ length: 20 }, () => book.take(taken)))
  t.equal(new Set(ports).size, 20)
})

t.test('names who listens', async (t) => {
  const port = await listen(t, '127.0.0.1')
  const holders = await portHolders(port)
  t.same(
    holders.map(({ pid }) => pid),
    [process.pid],
  )
  t.match(describeHolders(holders), new RegExp(`pid ${process.pid} \\(.*node`))
  t.same(await portHolders((await anyFreePort()) ?? 0), [])
  t.match(describeHolders([]), /another program/)
})
