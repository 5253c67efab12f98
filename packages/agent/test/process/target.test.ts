import type { ModelConfig } from '@lswap/core'
import t from 'tap'
import { choosesPort, engineTarget, headersFor, isLoopback, targetUrl } from '../../src/process/target.ts'
import { model } from './support/models.ts'

t.test('the default is the chosen port of this machine', async (t) => {
  const config = model('a', { cmd: 'engine --port ${PORT}' })
  t.ok(choosesPort(config))
  t.same(engineTarget(config, ['--port', '${PORT}'], 4_711), { host: '127.0.0.1', port: 4_711, basePath: '' })
})

t.test('a command that names its port is bound to it', async (t) => {
  const config = model('a', { cmd: 'engine --port 9001' })
  t.notOk(choosesPort(config))
  t.equal(engineTarget(config, ['--port', '9001'], 5_800).port, 9_001)
  t.equal(engineTarget(config, ['--port=9002'], 5_800).port, 9_002)
  t.equal(engineTarget(config, ['--port'], 5_800).port, config.port)
})

t.test('proxy says host, port and the path before every path', async (t) => {
  const config = model('a', { cmd: 'engine', proxy: 'http://[::1]:${PORT}/api/' })
  t.ok(choosesPort(config))
  const target = engineTarget(config, [], 81)
  t.same(target, { host: '::1', port: 81, basePath: '/api' })
  t.equal(targetUrl(target), 'http://[::1]:81/api')
  t.equal(engineTarget(model('a', { proxy: 'http://gpu.lan' }), [], 1).port, 80)
  t.throws(() => engineTarget(model('a', { proxy: 'https://gpu.lan' }), [], 1), /http/)
})

const at = (host: string): boolean => isLoopback({ host, port: 1, basePath: '' })

t.test('knows which addresses are this machine', async (t) => {
  t.ok(['localhost', '127.0.0.1', '127.1.2.3', '::1', '0.0.0.0'].every(at))
  t.notOk(['192.168.0.7', 'gpu.lan', '::2'].some(at))
})

t.test('a port in the environment counts as chosen', async (t) => {
  t.ok(choosesPort(model('a', { cmd: 'engine', env: { PORT: '${PORT}' } })))
})

t.test('the key of the engine is on every request to it', async (t) => {
  const config = model('a', { apiKey: 'sk-engine' })
  t.match(engineTarget(config, [], 81), { extraHeaders: ['Authorization', 'Bearer sk-engine'] })
  t.same(headersFor(engineTarget(config, [], 81)), { Authorization: 'Bearer sk-engine' })
  t.same(headersFor(engineTarget(model('a'), [], 81)), {})
})

const limits = (timeouts: ModelConfig['timeouts']): unknown => {
  const config = model('a', timeouts === undefined ? {} : { timeouts })
  return engineTarget(config, ['--port', '${PORT}'], 1).limits
}

t.test('limits of connections go to the forwarder as it calls them; 0 is none', async (t) => {
  t.equal(limits(undefined), undefined)
  t.same(limits({ connectMs: 3_000, idleMs: 90_000, keepAliveMs: 0, responseHeaderMs: 60_000 }), {
    connectTimeoutMs: 3_000,
    idleMs: 90_000,
    keepAliveMs: 0,
    responseHeaderMs: 60_000,
  })
  t.same(limits({ connectMs: 0, idleMs: 0, responseHeaderMs: 0 }), {
    connectTimeoutMs: 2_073_600_000,
    idleMs: 2_073_600_000,
  })
})
