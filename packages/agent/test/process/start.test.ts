import { createServer as createHttpServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Failure } from '@lswap/core'
import t from 'tap'
import type { Test } from 'tap'
import { anyFreePort } from '../../src/process/listening.ts'
import { createPortBook } from '../../src/process/port-book.ts'
import type { StartOutcome } from '../../src/process/attempt.ts'
import { NO_RUN_FILES, type RunRecord } from '../../src/state/run-files.ts'
import { fakeCommand, model, scriptCommand } from './support/models.ts'
import { ownerOf } from './support/owners.ts'
import type { Rig } from './support/owners.ts'
import { runs, until } from './support/poll.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const failureOf = (outcome: StartOutcome): Failure => {
  if (outcome.outcome !== 'failed') throw new Error(`the start was to fail and is ${outcome.outcome}`)
  return outcome.failure
}

t.test('becomes ready and tells its slots', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--parallel 3 --load-ms 60') }))
  const progress: string[] = []
  const outcome = await rig.owner.ensureReady({
    signal: new AbortController().signal,
    onProgress: ({ type }) => progress.push(type),
  })
  t.match(outcome, { outcome: 'ready', epoch: 1, slots: 3 })
  t.same(progress, ['spawned', 'loading'])
  const view = rig.owner.view()
  t.match(view, { model: 'm', phase: 'ready', epoch: 1, url: /^http:\/\/127\.0\.0\.1:\d+$/, pid: Number })
  t.ok(await runs(view.pid ?? 0))
  t.match(rig.output.tail(99)[0], /^--- m: start 1 on port \d+/)
})

t.test('is written down before it is spawned, and again with its number', async (t) => {
  const pids: number[] = []
  const noted = {
    ...NO_RUN_FILES,
    write: async ({ pid }: RunRecord) => {
      if (pids.length === 0) t.equal(rig.owner.view().pid, undefined, 'there is no process yet')
      pids.push(pid)
    },
  }
  const rig = ownerOf(t, model('m'), undefined, undefined, noted)
  t.match(await rig.ready(), { outcome: 'ready' })
  t.same(pids, [0, rig.owner.view().pid])
})

t.test('an engine that ends at its start tells code and last lines', async (t) => {
  const script = 'console.error("first"); console.log("reason: bad"); process.exitCode = 3'
  const rig = ownerOf(t, model('m', { cmd: scriptCommand(script) }))
  const failure = failureOf(await rig.ready())
  t.equal(failure.code, 'start_failed')
  t.match(failure.message, /exited with code 3 before it was ready/)
  t.match(failure.message, /reason: bad/)
  t.match(rig.owner.view(), { phase: 'stopped', pid: undefined, lastExit: { code: 3 } })
  t.match(new Set(rig.owner.view().lastExit?.lastLines), new Set(['first', 'reason: bad']))
})

t.test('an engine that ran out of memory says so', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--crash-at load --oom') }))
  t.match(failureOf(await rig.ready()), { code: 'out_of_memory', message: /cudaMalloc failed/ })
})

/** Starts a process that is none, with a server of ours in its place as soon as it runs. */
const startBehind = async (t: Test, listener: RequestListener): Promise<{ rig: Rig; failure: Failure }> => {
  const port = (await anyFreePort()) ?? 0
  const server = createHttpServer(listener)
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const settings = { cmd: 'sleep 60', proxy: `http://127.0.0.1:${port}/base`, healthCheckTimeoutMs: 400 }
  const rig = ownerOf(t, model('m', settings))
  const outcome = await rig.owner.ensureReady({
    signal: new AbortController().signal,
    onProgress: ({ type }) => {
      if (type === 'spawned') server.listen(port, '127.0.0.1')
    },
  })
  return { rig, failure: failureOf(outcome) }
}

t.test('the deadline holds when the health route hangs, and the process is gone then', async (t) => {
  const { rig, failure } = await startBehind(t, () => {})
  t.equal(failure.code, 'start_timeout')
  t.match(failure.message, /not ready within 400 ms: http:\/\/127\.0\.0\.1:\d+\/base\/health .*still open/)
  t.match(rig.owner.view(), { phase: 'stopped', lastExit: { signal: 'SIGKILL' } })
})

t.test('the deadline names URL and status of a route that is not there', async (t) => {
  const { failure } = await startBehind(t, (_, response) => response.writeHead(404).end())
  t.match(failure.message, /http:\/\/127\.0\.0\.1:\d+\/base\/health last said: status 404/)
})

t.test('a slow health route is waited for', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--health-slow-ms 600') }))
  t.match(await rig.ready(), { outcome: 'ready' })
})

t.test('checkEndpoint none needs no health route', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--health-404'), checkEndpoint: 'none' }))
  t.match(await rig.ready(), { outcome: 'ready' })
})

t.test('a fixed port that somebody holds is an error that names them', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  for (const settings of [
    { cmd: fakeCommand(`--port ${port}`) },
    { cmd: fakeCommand(`--port ${port}`), proxy: `http://localhost:${port}` },
  ]) {
    const rig = ownerOf(t, model('m', settings))
    const failure = failureOf(await rig.ready())
    t.equal(failure.code, 'port_in_use')
    t.match(failure.message, new RegExp(`port ${port} is in use by pid ${process.pid} \\(.*node`))
    t.same(rig.output.tail(9), [], 'nothing was spawned')
  }
})

t.test('a chosen port moves away from a stranger', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const rig = ownerOf(t, model('m', { port }))
  t.match(await rig.ready(), { outcome: 'ready' })
  t.notMatch(rig.owner.view().url, new RegExp(`:${port}$`))
})

t.test('a port that is taken after we looked is named as well', async (t) => {
  const port = (await anyFreePort()) ?? 0
  const script = 'process.once("SIGUSR2", () => process.exit(1)); console.log("up"); setInterval(() => {}, 1000)'
  const loser = ownerOf(t, model('m', { cmd: scriptCommand(script), proxy: `http://127.0.0.1:${port}/` }))
  const result = loser.ready()
  await until('the engine runs', () => loser.output.tail(1)[0] === 'up')
  const thief = createServer()
  await new Promise<void>((resolve) => thief.listen(port, '127.0.0.1', resolve))
  t.teardown(() => thief.close())
  process.kill(loser.owner.view().pid ?? 0, 'SIGUSR2')
  const failure = failureOf(await result)
  t.equal(failure.code, 'port_in_use')
  t.match(failure.message, new RegExp(`pid ${process.pid} .*exited with code 1`))
})

t.test('the environment of the model comes on top of ours', async (t) => {
  const script = 'console.log(JSON.stringify(process.env))'
  const env = { HOME: '/own', ENGINE_PORT: '${PORT}' }
  const rig = ownerOf(t, model('m', { cmd: scriptCommand(script), env }))
  await rig.ready()
  const printed = JSON.parse(rig.output.tail(1)[0] ?? '') as NodeJS.ProcessEnv
  t.equal(printed['PATH'], process.env['PATH'])
  t.equal(printed['HOME'], '/own')
  t.match(printed['ENGINE_PORT'], /^\d+$/)
  t.match(printed['LSWAP_RUN'], /^[0-9a-f-]{36}$/)
})

t.test('what is wrong with the command is told without spawning', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: '/nowhere/engine' }))
  t.match(failureOf(await rig.ready()), { code: 'start_failed', message: /\/nowhere\/engine does not exist/ })
  t.same(rig.output.tail(9), [])
  t.match(rig.owner.view(), { phase: 'stopped', lastExit: { reason: /nowhere/ } })
})

t.test('a listener outside the group is accepted, and said once', async (t) => {
  const port = (await anyFreePort()) ?? 0
  const engine = fakeCommand(`--port ${port}`)
  // As a container's client does: the server is somebody else's child by the time it listens.
  const script = `setsid sh -c "setsid ${engine.replaceAll("'", '')} >/dev/null 2>&1 &"; sleep 60`
  const proxy = `http://127.0.0.1:${port}`
  const rig = ownerOf(t, model('m', { cmd: `sh -c '${script}'`, proxy }))
  t.match(await rig.ready(), { outcome: 'ready' })
  await until('it is said', () => rig.log.messages.length > 0)
  t.match(rig.log.messages, [/^info the engine's port is held by pid \d+ .*not in its process group/])
  const holder = Number(/pid (\d+)/.exec(rig.log.messages[0] ?? '')?.[1])
  t.teardown(() => process.kill(holder, 'SIGKILL'))
})

/** Somebody else's listener on a port that the book still thinks free. */
const stolenPort = async (t: Test): Promise<number> => {
  const thief = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve))
  t.teardown(() => thief.close())
  return (thief.address() as AddressInfo).port
}

t.test('a port that is taken between our look and the bind is exchanged for another', async (t) => {
  const stolen = await stolenPort(t)
  const book = createPortBook(new Set())
  const handedOut = [stolen]
  const ports = { ...book, take: async (preferred: number) => handedOut.pop() ?? book.take(preferred) }
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('') }), 5_000, ports)
  t.match(await rig.ready(), { outcome: 'ready' })
  t.notMatch(rig.owner.view().url, `:${stolen}`)
})

t.test('a machine whose ports are taken again and again ends in an error that names who took the last', async (t) => {
  const stolen = await stolenPort(t)
  let tries = 0
  const ports = {
    take: async () => {
      tries += 1
      return stolen
    },
    claim: () => {},
    release: () => true,
  }
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('') }), 5_000, ports)
  const failure = failureOf(await rig.ready())
  t.equal(failure.code, 'port_in_use')
  t.match(failure.message, new RegExp(`pid ${process.pid}`))
  t.equal(tries, 3)
})
