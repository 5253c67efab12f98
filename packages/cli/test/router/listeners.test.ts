import { atEnd } from '@lswap/core/test-support'
import { createServer, type Server } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createListeners, type ListenersOptions } from '../../src/router/listeners.ts'
import { recordingLog } from './support/log.ts'

const LOOPBACK = { host: '127.0.0.1', port: 0 }
const EVERYWHERE = { host: '0.0.0.0', port: 0 }

const rig = (t: Parameters<typeof atEnd>[0], options: Partial<ListenersOptions> = {}) => {
  const log = recordingLog()
  const servers: Server[] = []
  const listeners = createListeners({
    log,
    isInsecure: false,
    isEncrypted: false,
    hasKeys: () => false,
    isClosing: () => false,
    serverFor: () => {
      const server = createServer()
      const listen = server.listen.bind(server)
      // What is told of an address does not depend on who really reaches it: tests are reached by this machine only
      Object.assign(server, {
        listen: ({ port }: { port: number }, then: () => void) => listen({ host: '127.0.0.1', port }, then),
      })
      servers.push(server)
      return server
    },
    ready: async () => {},
    ...options,
  })
  atEnd(t, () => servers.forEach((server) => server.close()))
  return { listeners, log, servers }
}

t.test('nothing listens before requests can be decided', async (t) => {
  let decidable: (() => void) | undefined
  const ready = new Promise<void>((resolve) => (decidable = resolve))
  const { listeners, servers } = rig(t, { ready: () => ready })
  const bound = listeners.listen(LOOPBACK)
  await turn()
  t.same(servers, [])
  decidable?.()
  const [address] = await bound
  t.match(servers[0]?.address(), { port: address?.port })
  t.equal(listeners.servers.length, 1)
})

t.test('an address that others reach without protection is refused, and nothing is made for it', async (t) => {
  const { listeners, servers } = rig(t)
  await t.rejects(listeners.listen(EVERYWHERE), { code: 'invalid_config' })
  t.same(servers, [])
  t.doesNotThrow(() => listeners.checkExposure(false), 'it does not count afterwards')
})

t.test('while an address is being bound, what protects it can not go', async (t) => {
  const { listeners } = rig(t, { hasKeys: () => true, ready: () => new Promise(() => {}) })
  void listeners.listen(EVERYWHERE)
  t.throws(() => listeners.checkExposure(false), { code: 'invalid_config' })
  t.doesNotThrow(() => listeners.checkExposure(true))
})

t.test('an address that could not be had needs no protection', async (t) => {
  const { listeners, servers } = rig(t, { hasKeys: () => true })
  const [holder] = await listeners.listen(EVERYWHERE)
  const { listeners: others } = rig(t, { hasKeys: () => true })
  await t.rejects(others.listen({ ...EVERYWHERE, port: holder?.port ?? 0 }), { code: 'address_in_use' })
  t.equal(servers.length, 1)
  t.doesNotThrow(() => others.checkExposure(false))
  t.throws(() => listeners.checkExposure(false))
})

t.test('who is reached from elsewhere is warned of what can be read on the way', async (t) => {
  const warned = async (options: Partial<ListenersOptions>, address = EVERYWHERE): Promise<string[]> => {
    const { listeners, log } = rig(t, options)
    await listeners.listen(address)
    return log.lines.map(({ message }) => message)
  }
  t.match(await warned({ isInsecure: true }), [/^insecure/])
  t.match(await warned({ hasKeys: () => true }), [/^keys cross the network as they are/])
  t.same(await warned({ hasKeys: () => true, isEncrypted: true }), [])
  t.same(await warned({}, LOOPBACK), [])
})

t.test('a listener that comes up while the router closes is closed again', async (t) => {
  const { listeners, servers } = rig(t, { isClosing: () => true })
  await listeners.listen(LOOPBACK)
  t.equal(servers[0]?.listening, false)
})

t.test('a listener that fails later is told, and ends nothing', async (t) => {
  const { listeners, log, servers } = rig(t)
  await listeners.listen(LOOPBACK)
  const error = new Error('too many open files')
  servers[0]?.emit('error', error)
  t.match(log.lines, [{ level: 'error', message: 'listener failed', fields: { err: error } }])
})

t.test('idle connections end once the answer that ends now is over', async (t) => {
  const { listeners, servers } = rig(t)
  await listeners.listen(LOOPBACK)
  let closed = 0
  Object.assign(servers[0] ?? {}, { closeIdleConnections: () => (closed += 1) })
  listeners.closeIdle()
  t.equal(closed, 0)
  await turn()
  t.equal(closed, 1)
})
