import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import t from 'tap'
import { createScheduler, LOCAL_HOST, schedulerOptions } from '@lswap/core'
import { systemClock } from '../../src/router/clock.ts'
import { createNotices } from '../../src/router/feed/notices.ts'
import { isLoopback, parseListenAddress } from '../../src/router/listen-address.ts'
import { createRouter, type Router } from '../../src/router/router.ts'
import { ask } from './support/ask.ts'
import { config, model } from './support/config.ts'
import { createFakeAgent } from './support/fake-agent.ts'
import { access, bearer, key } from './support/keys.ts'
import { recordingLog } from './support/log.ts'
import { startRig } from './support/rig.ts'

const hasV6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1')

const newRouter = (t: { teardown(end: () => Promise<void>): void }, insecure?: boolean): Router => {
  const settings = config([model('a')])
  const clock = systemClock()
  const router = createRouter({
    config: settings,
    agents: new Map([[LOCAL_HOST, createFakeAgent({ host: LOCAL_HOST })]]),
    scheduler: createScheduler(schedulerOptions(settings)),
    clock,
    notices: createNotices(recordingLog(), clock, (text) => text),
    version: '0',
    commit: '0',
    readConfig: async () => ({ ok: true, config: settings, warnings: [] }),
    ...(insecure === undefined ? {} : { insecure }),
  })
  t.teardown(() => router.destroy())
  return router
}

t.test('addresses are written as people write them', async (t) => {
  t.same(parseListenAddress('8080'), { host: '127.0.0.1', port: 8080 })
  t.same(parseListenAddress(':8080'), { host: '127.0.0.1', port: 8080 })
  t.same(parseListenAddress(' localhost:0 '), { host: 'localhost', port: 0 })
  t.same(parseListenAddress('LocalHost:0'), { host: 'localhost', port: 0 }, 'names know no case')
  t.same(parseListenAddress('gpu-box.example:80'), { host: 'gpu-box.example', port: 80 })
  t.same(parseListenAddress('[::1]:8080'), { host: '::1', port: 8080 })
  t.same(parseListenAddress('*:8080'), { host: '0.0.0.0', port: 8080 })
  for (const text of ['', 'x', '::1:8080', '65536', '1.2.3.4', '[::1]', 'a:b', '-1', '8080x', '[]:80']) {
    t.throws(() => parseListenAddress(text), { code: 'invalid_request' }, text)
  }
})

t.test('loopback is what only this machine reaches', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) t.ok(isLoopback(host), host)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example', 'gpu-box']) t.notOk(isLoopback(host), host)
})

t.test('localhost is both families, on one port', async (t) => {
  const bound = await newRouter(t).listen({ host: 'localhost', port: 0 })
  t.equal(bound.length, hasV6 ? 2 : 1)
  t.equal(new Set(bound.map(({ port }) => port)).size, 1)
  for (const { url } of bound) t.equal(await (await fetch(`${url}/health`)).text(), 'OK', url)
})

t.test('a port that is taken names who has it', async (t) => {
  const holder = createServer()
  t.teardown(() => holder.close())
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  const { port } = holder.address() as AddressInfo
  const router = newRouter(t)
  const expected = { code: 'address_in_use', message: /127\.0\.0\.1:\d+ is taken by / }
  await t.rejects(router.listen({ host: '127.0.0.1', port }), expected)
  await t.rejects(router.listen({ host: 'localhost', port }), expected)
  if (process.platform === 'linux') {
    await t.rejects(router.listen({ host: '127.0.0.1', port }), { message: new RegExp(`pid ${process.pid} \\(`) })
  }
})

t.test('an address that can not be had is told as such', async (t) => {
  await t.rejects(newRouter(t, true).listen({ host: '203.0.113.7', port: 0 }), {
    code: 'unreachable',
    message: /203\.0\.113\.7:0: it is not an address of this machine/,
  })
})

t.test('an address that others reach needs insecure, or keys', async (t) => {
  await t.rejects(newRouter(t).listen({ host: '0.0.0.0', port: 0 }), { code: 'invalid_config' })
  const [bound] = await newRouter(t, true).listen({ host: '0.0.0.0', port: 0 })
  t.match(bound?.url, /^http:\/\/0\.0\.0\.0:\d+$/)

  const { port, router, log } = await startRig(t, { config: { access: access({ keys: [key('app')] }) } })
  const [open] = await router.listen({ host: '0.0.0.0', port: 0 })
  t.match(JSON.stringify(log), 'keys cross the network as they are')
  const anyName = { headers: { Host: 'gpu-box.example', ...bearer('app') }, path: '/v1/models' }
  t.equal((await ask(open?.port ?? 0, anyName)).status, 200, 'keys in place of names')
  t.equal((await ask(port, anyName)).status, 403, 'loopback keeps its rule')
})
