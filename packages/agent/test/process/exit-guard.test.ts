import t from 'tap'
import { createExitGuard, understandsGuard } from '../../src/process/exit-guard.ts'
import { model } from './support/models.ts'
import { recordedLog } from './support/recorded-log.ts'

const EXIT_1 = { code: 1, signal: undefined }
const guardOf = (settings: Parameters<typeof model>[1] = {}) => {
  const log = recordedLog()
  const guard = createExitGuard(model('m', settings), log)
  return { guard, log, environment: () => guard.environment('/usr/bin/llama-server', []) }
}

t.test('only engines that know it by name are guarded', async (t) => {
  t.ok(understandsGuard('/opt/llama.cpp/llama-server', []))
  t.ok(understandsGuard('/usr/bin/node', ['/x/lswap-fake-llama']))
  t.notOk(understandsGuard('/bin/sh', ['-c', 'llama-server & wait']))
  t.notOk(understandsGuard('/usr/bin/docker', ['run', 'llama-server']))
  t.notOk(understandsGuard('/usr/bin/node', ['server.js', '-m', 'llama.gguf']))
})

t.test('a model that is kept, has a stop command or sets the variable itself, is not guarded', async (t) => {
  t.same(guardOf().environment(), { LLAMA_SERVER_ROUTER_PORT: '1' })
  t.same(guardOf({ onAgentExit: 'keep' }).environment(), {})
  t.same(guardOf({ cmdStop: 'kill ${PID}' }).environment(), {})
  t.same(guardOf({ env: { LLAMA_SERVER_ROUTER_PORT: '7' } }).environment(), {})
})

t.test('once the guard may have ended an engine it is left away', async (t) => {
  const { guard, log, environment } = guardOf()
  guard.onCrash({ code: undefined, signal: 'SIGSEGV' }, 5)
  guard.onCrash({ code: 139, signal: undefined }, 5)
  guard.onCrash(EXIT_1, 60_000)
  t.same(environment(), { LLAMA_SERVER_ROUTER_PORT: '1' })
  guard.onCrash(EXIT_1, 5)
  t.same(environment(), {})
  t.match(log.messages, [/^warn the engine ended by itself/])
  const hidden = guardOf()
  hidden.guard.onCrash(undefined, 60_000)
  t.same(hidden.environment(), {})
})
