import t from 'tap'
import { isLoopback, listenAddress } from '../../../src/commands/serve/listen-address.ts'

t.test('an address without a host is loopback', (t) => {
  t.same(listenAddress('9000'), { host: '127.0.0.1', port: 9000 })
  t.same(listenAddress(':9000'), { host: '127.0.0.1', port: 9000 })
  t.same(listenAddress('0'), { host: '127.0.0.1', port: 0 })
  t.end()
})

t.test('hosts are names, IPv4, bracketed IPv6 and *', (t) => {
  t.same(listenAddress('gpu-box:80'), { host: 'gpu-box', port: 80 })
  t.same(listenAddress('0.0.0.0:80'), { host: '0.0.0.0', port: 80 })
  t.same(listenAddress('[::1]:80'), { host: '::1', port: 80 })
  t.same(listenAddress('*:80'), { host: '0.0.0.0', port: 80 })
  t.end()
})

t.test('anything else is refused', (t) => {
  for (const text of ['', 'host', 'host:', '::1:80', '65536', 'a:b', '80x', 'http://x:80', '[]:80']) {
    t.throws(() => listenAddress(text), { code: 'commander.invalidArgument' }, text)
  }
  t.end()
})

t.test('only loopback is loopback', (t) => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1']) t.ok(isLoopback(host), host)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'gpu-box', '127.0.0.1.example.org']) t.notOk(isLoopback(host), host)
  t.end()
})
