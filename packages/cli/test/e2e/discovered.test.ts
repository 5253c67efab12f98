import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gguf, scratch } from '@lswap/core/test-support'
import t from 'tap'
import { chat } from './chat.ts'
import { start } from './command.ts'
import { FAKE_ENGINE } from './programs.ts'
import { until } from './until.ts'

t.setTimeout(240_000)

t.test('without a configuration the models of this machine are served, and the configuration is shown', async (t) => {
  const home = scratch(t, { bin: {}, models: { 'My Model-Q4_K_M.gguf': gguf() } })
  const engine = join(home, 'bin', 'llama-server')
  // Named like the real one, and the simulated one inside
  writeFileSync(engine, `#!/bin/sh\nexec "${process.execPath}" "${FAKE_ENGINE}" "$@"\n`)
  chmodSync(engine, 0o755)
  const PATH = `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`
  const env = { HOME: home, PATH, LSWAP_STATE_DIR: join(home, 'state'), XDG_CACHE_HOME: home }
  const { child, ended } = start(['serve', '--listen', '127.0.0.1:0'], { cwd: home, env })
  let stdout = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const url = await until('it listens', () => /listening on (http:\S+)/.exec(stdout)?.[1])
  t.equal((await chat(url, 'My Model')).status, 200)
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  t.equal(code, 0)
  t.match(stderr, /^No configuration: serving what was found/)
  t.match(stderr, /^ {2} {2}"My Model": #/m)
})
