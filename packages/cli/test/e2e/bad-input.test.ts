import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { chat, errorOf } from './chat.ts'
import { run } from './command.ts'
import { served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

t.test('a wrong configuration: every error with its place, exit 2, nothing started', async (t) => {
  const yaml = 'models:\n  a:\n    cmd: server --port ${PORT}\n    tttl: 5\n  b:\n    aliases: 7\nloglevel: loud\n'
  const cwd = scratch(t, { 'lswap.yaml': yaml })
  const { code, stdout, stderr } = await run(['serve', '--listen', '0'], { cwd, env: { LSWAP_STATE_DIR: cwd } })
  t.equal(code, 2)
  t.equal(stdout, '')
  t.match(stderr, /^lswap\.yaml:4:5: error: .*tttl.*ttl/m)
  t.match(stderr, /^lswap\.yaml:6:\d+: error: .*aliases/m)
  t.match(stderr, /^lswap\.yaml:7:1: error: .*loglevel.*logLevel/m)
  t.match(stderr, /error: \d errors in lswap\.yaml; nothing was started\./)
})

t.test(
  'no configuration and nothing to serve: says where it looked, what to install, and offers the demo',
  async (t) => {
    const cwd = scratch(t)
    const { code, stderr } = await run(['serve'], { cwd, env: { HOME: cwd, PATH: cwd } })
    t.equal(code, 2)
    t.match(stderr, join(cwd, '.config/lswap/config.yaml'))
    t.match(stderr, /no llama-server on PATH, and no GGUF file in/)
    t.match(stderr, /hint: install llama-server \(/)
    t.match(stderr, '--demo')
  },
)

t.test('an address in use ends with 5 and names who holds it', async (t) => {
  const cwd = scratch(t)
  const stranger = createServer()
  await new Promise<void>((resolve) => {
    stranger.listen(0, '127.0.0.1', resolve)
  })
  t.teardown(() => stranger.close())
  const { port } = stranger.address() as AddressInfo
  const { code, stderr } = await run(['serve', '--demo', '--listen', `${port}`], { env: { LSWAP_STATE_DIR: cwd } })
  t.equal(code, 5)
  t.match(stderr, new RegExp(`127\\.0\\.0\\.1:${port}`))
  if (process.platform === 'linux') t.match(stderr, `pid ${process.pid}`)
})

t.test('the network is only served when somebody says so', async (t) => {
  const cwd = scratch(t)
  const { code, stderr } = await run(['serve', '--demo', '--listen', '0.0.0.0:0'], { env: { LSWAP_STATE_DIR: cwd } })
  t.equal(code, 2)
  t.match(stderr, /hint: .*--insecure/)
  t.match(await run(['serve', '--demo', '--listen', 'x']), { code: 2, stderr: /HOST:PORT/ })
})

t.test('a second router on the same state is refused before it touches anything', async (t) => {
  const { url, pid, stateDir } = await served(t, { models: { a: '' } })
  const { code, stderr } = await run(['serve', '--demo', '--listen', '0'], { env: { LSWAP_STATE_DIR: stateDir } })
  t.not(code, 0)
  t.match(stderr, `${pid}`)
  const named = await run(['serve', '--demo', '--listen', '0', '--state-dir', stateDir])
  t.not(named.code, 0)
  t.match(named.stderr, `${pid}`)
  t.match(named.stderr, /hint: .*--state-dir/)
  t.equal((await chat(url, 'a')).status, 200, 'the first goes on')
})

t.test('a model that can not start: 502 with exit code and log, and the others go on', async (t) => {
  const broken = [
    process.execPath,
    '-e',
    'console.error("cannot open model: no such file"); process.exit(3)',
    '${PORT}',
  ]
  const { url, lswap, journal } = await served(t, {
    models: { a: '', broken, gone: ['/nonexistent/llama-server', '${PORT}'] },
  })
  t.equal((await chat(url, 'a')).status, 200)
  const response = await chat(url, 'broken')
  t.equal(response.status, 502)
  const error = await errorOf(response)
  t.equal(error.code, 'start_failed')
  t.match(error.message, /\b3\b/, 'the exit code')
  t.match(error.message, 'cannot open model: no such file')
  t.match(await lswap('load', 'broken'), { code: 1, stderr: /cannot open model/ })

  t.equal((await chat(url, 'a')).status, 200)
  const before = (await journal.starts()).length
  t.match(await errorOf(await chat(url, 'gone')), { code: 'start_failed', message: /nonexistent/ })
  t.equal((await chat(url, 'a')).status, 200)
  t.equal((await journal.starts()).length, before, 'a program that does not exist evicts nothing')
})
