import { once } from 'node:events'
import t from 'tap'
import { runService, type Service } from '../../../src/commands/serve/service.ts'
import { terminal, type Terminal } from '../../terminal.ts'

interface Rig {
  readonly io: Terminal
  readonly calls: string[]
  readonly exitCode: Promise<number>
}

interface RigOptions {
  readonly close?: () => Promise<void>
  readonly start?: () => Promise<void>
  readonly closeLimitMs?: number
}

const never = (): Promise<void> => new Promise(() => {})

const rig = ({ close, start, closeLimitMs = 60_000 }: RigOptions = {}): Rig => {
  const io = terminal()
  const calls: string[] = []
  const service: Service = {
    close: async () => {
      calls.push('close')
      await close?.()
    },
    destroy: async () => {
      calls.push('destroy')
    },
  }
  const say =
    (level: string) =>
    (_fields: object, message: string): void => {
      calls.push(`${level} ${message.split(':')[0] ?? ''}`)
    }
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
  const exitCode = runService({
    io,
    log,
    closeLimitMs: () => closeLimitMs,
    onHangup: () => calls.push('hangup'),
    start: async () => {
      await start?.()
      return service
    },
  })
  return { io, calls, exitCode }
}

t.test('SIGTERM closes and ends with 0, Ctrl-C closes and ends with 130', async (t) => {
  for (const [signal, code] of [
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const) {
    const { io, calls, exitCode } = rig()
    io.signal(signal)
    t.equal(await exitCode, code)
    t.same(calls, [`info ${signal}`, 'close', 'info stopped'])
    t.not(io.listeners(), 0, 'one that comes before the process has ended changes nothing')
  }
})

t.test('a second signal kills now', async (t) => {
  const { io, calls, exitCode } = rig({ close: never })
  io.signal('SIGTERM')
  io.signal('SIGINT')
  t.equal(await exitCode, 130)
  t.same(calls, ['info SIGTERM', 'close', 'destroy'])
})

t.test('two SIGTERM are no clean end', async (t) => {
  const { io, exitCode } = rig({ close: never })
  io.signal('SIGTERM')
  io.signal('SIGTERM')
  t.equal(await exitCode, 1)
})

t.test('a close beyond its limit is cut short', async (t) => {
  const { io, calls, exitCode } = rig({ close: never, closeLimitMs: 5 })
  io.signal('SIGTERM')
  t.equal(await exitCode, 1)
  t.same(calls, ['info SIGTERM', 'close', 'warn not stopped after 0.005 s', 'destroy'])
})

t.test('a close that fails is followed by a kill', async (t) => {
  const { io, calls, exitCode } = rig({ close: () => Promise.reject(new Error('x')) })
  io.signal('SIGTERM')
  t.equal(await exitCode, 1)
  t.equal(calls.at(-1), 'destroy')
})

t.test('SIGHUP is handed to what runs, as often as it comes, and ends nothing', async (t) => {
  const { io, calls, exitCode } = rig()
  await Promise.resolve()
  io.signal('SIGHUP')
  await new Promise(setImmediate)
  io.signal('SIGHUP')
  io.signal('SIGTERM')
  t.equal(await exitCode, 0)
  t.same(calls.slice(0, 2), ['hangup', 'hangup'])
})

t.test('SIGHUP during the start is kept until that is over', async (t) => {
  const gate = new AbortController()
  const start = async (): Promise<void> => {
    await once(gate.signal, 'abort')
  }
  const { io, calls, exitCode } = rig({ start })
  io.signal('SIGHUP')
  io.signal('SIGHUP')
  t.same(calls, [])
  gate.abort()
  await new Promise(setImmediate)
  t.same(calls, ['hangup'])
  io.signal('SIGTERM')
  t.equal(await exitCode, 0)
})

t.test('an exception that nobody caught leaves no process', async (t) => {
  const { io, calls, exitCode } = rig()
  io.crash(new Error('bug'))
  t.equal(await exitCode, 1)
  t.same(calls, ['error a bug in lswap', 'destroy'])
})

t.test('a signal during the start closes what the start made', async (t) => {
  const gate = new AbortController()
  const start = async (): Promise<void> => {
    await once(gate.signal, 'abort')
  }
  const { io, calls, exitCode } = rig({ start })
  io.signal('SIGTERM')
  t.same(calls, [])
  gate.abort()
  t.equal(await exitCode, 0)
  t.same(calls, ['info SIGTERM', 'close', 'info stopped'])
})

t.test('a start that fails is the error of the command', async (t) => {
  const { io, exitCode } = rig({ start: () => Promise.reject(new Error('port taken')) })
  await t.rejects(exitCode, { message: 'port taken' })
  t.equal(io.listeners(), 0)
})
