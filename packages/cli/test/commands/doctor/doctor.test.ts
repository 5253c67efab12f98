import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gguf, scratch } from '@lswap/core/test-support'
import t, { type Test } from 'tap'
import type { Finding } from '../../../src/commands/doctor/finding.ts'
import { bounded, runTool, type RunTool } from '../../../src/commands/doctor/probe.ts'
import { gpuProbe } from '../../../src/commands/doctor/probes/gpu.ts'
import { nodeProbe } from '../../../src/commands/doctor/probes/machine.ts'
import { main } from '../../../src/main.ts'
import { json, refusal, routerDouble } from '../../router-double.ts'
import { terminal } from '../../terminal.ts'

interface Report {
  readonly ok: boolean
  readonly findings: readonly Finding[]
}

interface Machine {
  readonly folder: string
  readonly env: Record<string, string>
}

/** A machine with an engine that answers, and nothing else. */
const machine = (t: Test): Machine => {
  const folder = scratch(t, { bin: {}, state: {}, home: {} })
  const engine = join(folder, 'bin', 'llama-server')
  writeFileSync(engine, '#!/bin/sh\necho "version: 4711 (abc123)" >&2\n')
  chmodSync(engine, 0o755)
  chmodSync(join(folder, 'state'), 0o700)
  const env = {
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    HOME: join(folder, 'home'),
    LSWAP_STATE_DIR: join(folder, 'state'),
    LSWAP_URL: 'http://127.0.0.1:1',
  }
  return { folder, env }
}

const examine = async ({ folder, env }: Machine, ...argv: string[]): Promise<Report & { readonly code: number }> => {
  const io = terminal({ cwd: folder, env })
  const code = await main(['doctor', '--json', ...argv], io)
  return { ...(JSON.parse(io.out()) as Report), code }
}

const of = ({ findings }: Report, check: string): readonly Finding[] =>
  findings.filter((finding) => finding.check === check)

t.test('a machine where nothing is wrong ends with 0', async (t) => {
  const router = await routerDouble({
    'GET /v1/models': json(200, { data: [{ id: 'a' }] }),
    'GET /api/version': json(200, {}),
  })
  t.teardown(() => router.close())
  const here = machine(t)
  writeFileSync(join(here.folder, 'lswap.yaml'), 'models:\n  a:\n    cmd: llama-server --port ${PORT}\n')
  const report = await examine(here, '--url', router.url)
  t.match(of(report, 'engine')[0], { verdict: 'ok', what: /version 4711 \(abc123\)$/ })
  t.match(of(report, 'config')[0], { verdict: 'ok', what: 'lswap.yaml, 1 model' })
  t.match(of(report, 'router')[0], { verdict: 'ok', what: / 1 model can be asked for/ })
  t.match(of(report, 'state')[0], { verdict: 'ok', what: /used by nobody now/ })
  t.match(of(report, 'node')[0], { verdict: 'ok' })
  t.same([report.ok, report.code], [true, 0])
  t.ok(
    report.findings.every(
      ({ verdict, why, advice }) => verdict === 'ok' || (why !== undefined && advice !== undefined),
    ),
  )
})

t.test('without a configuration it says how many models would be served, or that there is nothing', async (t) => {
  const here = machine(t)
  t.match(of(await examine(here), 'config')[0], {
    verdict: 'warning',
    what: /no GGUF file in \.\/models, ~\/models, /,
    why: '`lswap serve` has nothing to serve',
  })
  mkdirSync(join(here.folder, 'home/models'))
  writeFileSync(join(here.folder, 'home/models/small-q8_0.gguf'), gguf())
  t.match(of(await examine(here), 'config')[0], { verdict: 'warning', what: /models found: 1$/ })
})

t.test('what is wrong is told with why and what to do, and ends with 1', async (t) => {
  const here = machine(t)
  const holder = createServer()
  await new Promise<void>((resolve) => {
    holder.listen(0, '127.0.0.1', resolve)
  })
  t.teardown(() => holder.close())
  const { port } = holder.address() as AddressInfo
  writeFileSync(join(here.folder, 'open.key'), 'sk-1234567890')
  chmodSync(join(here.folder, 'open.key'), 0o644)
  writeFileSync(
    join(here.folder, 'lswap.yaml'),
    `models:\n  gone:\n    cmd: /nonexistent/engine --port \${PORT}\n  bound:\n    cmd: llama-server --port ${port}\n    proxy: http://127.0.0.1:${port}\napiKeys:\n  - { name: x, keyFile: open.key, scopes: [infer] }\n`,
  )
  chmodSync(join(here.folder, 'state'), 0o777)
  const report = await examine(here)
  t.match(
    of(report, 'engine').find(({ verdict }) => verdict === 'problem'),
    {
      what: '/nonexistent/engine does not exist',
      why: 'it serves gone',
    },
  )
  t.match(of(report, 'keys')[0], { verdict: 'warning', what: /mode 644/, advice: /^chmod 600/ })
  t.match(of(report, 'state')[0], { verdict: 'warning', what: /others may write/ })
  t.match(of(report, 'router')[0], { verdict: 'problem', what: /nothing listens there/ })
  const held = of(report, 'ports').find(({ verdict }) => verdict === 'problem')
  t.match(held?.what, `${port}, which bound is bound to, is held by pid ${process.pid}`)
  t.same([report.ok, report.code], [false, 1])
})

const modelWith = (id: string, path: string): string => `  ${id}: { cmd: "llama-server --port \${PORT} -m ${path}" }\n`

t.test(
  'model files that are not there are problems, all those of a folder that is not mounted are not told one by one',
  async (t) => {
    const here = machine(t)
    const file = join(here.folder, 'm.gguf')
    writeFileSync(file, '')
    const configured = async (...models: readonly string[]): Promise<readonly Finding[]> => {
      writeFileSync(join(here.folder, 'lswap.yaml'), `models:\n${models.join('')}`)
      return of(await examine(here), 'models')
    }
    t.match(await configured(modelWith('a', file)), [{ verdict: 'ok' }])
    const [gone, ...others] = await configured(modelWith('a', file), modelWith('b', '/mnt/gone/b.gguf'))
    t.same(others, [])
    t.match(gone, {
      verdict: 'problem',
      what: 'b: the model file /mnt/gone/b.gguf does not exist',
      why: /can not be started/,
    })
    const many = Array.from({ length: 8 }, (_, at) => modelWith(`m${at}`, `/mnt/gone/${at}.gguf`))
    const told = await configured(...many)
    t.equal(told.length, 6)
    t.match(told[5], { verdict: 'problem', what: 'the same of 3 more models' })
  },
)

t.test('an engine that does not start, a configuration with mistakes, a state directory out of reach', async (t) => {
  const here = machine(t)
  writeFileSync(join(here.folder, 'bin', 'llama-server'), '#!/bin/sh\necho "libcuda.so.1: not found" >&2\nexit 127\n')
  writeFileSync(join(here.folder, 'lswap.yaml'), 'models:\n  a:\n    cmd: x --port ${PORT}\n    tttl: 5\n')
  const bad = await examine(here, '--config', 'lswap.yaml')
  t.match(of(bad, 'config')[0], { verdict: 'problem', what: /1 error in lswap\.yaml.*tttl/, advice: /lswap check/ })
  t.match(of(bad, 'engine')[0], { verdict: 'problem', what: /does not start: libcuda\.so\.1: not found/ })
  const away = await examine({
    ...here,
    env: { ...here.env, LSWAP_STATE_DIR: join(here.folder, 'lswap.yaml', 'state') },
  })
  t.match(of(away, 'state')[0], { verdict: 'problem', what: /can not be made/ })
  const missing = await examine(here, '--config', 'nope.yaml')
  t.match(of(missing, 'config')[0], { verdict: 'problem', what: /it does not exist/ })
})

t.test('a model that is stuck is a problem, with what to do', async (t) => {
  const here = machine(t)
  const failure = { code: 'stop_failed', message: 'm (pid 7) still runs' }
  const router = await routerDouble({
    'GET /running': json(200, { running: [{ model: 'm', state: 'stuck', failure }] }),
    'GET /v1/models': json(200, { object: 'list', data: [] }),
  })
  t.teardown(() => router.close())
  t.match(of(await examine(here, '--url', router.url), 'router')[1], {
    verdict: 'problem',
    what: 'm is stuck: m (pid 7) still runs',
    advice: /lswap unload m/,
  })
})

t.test('a key that the router refuses is a problem; no router at the usual place is none', async (t) => {
  const router = await routerDouble({ 'GET /': refusal(401, 'unauthorized', 'This router wants an API key.') })
  t.teardown(() => router.close())
  const here = machine(t)
  t.match(of(await examine(here, '--url', router.url), 'router')[0], { verdict: 'problem', advice: /--key-file/ })
})

t.test('text: a line for each, then how many', async (t) => {
  const { folder, env } = machine(t)
  const io = terminal({ cwd: folder, env })
  t.equal(await main(['doctor'], io), 1)
  t.match(io.out(), /^ok {7}node /m)
  t.match(io.out(), /^PROBLEM {2}router .*\n {9}why: .*\n {9}do: .*$/m)
  t.match(io.out(), /\n1 problem(, \d warnings?)?\n$/)
})

t.test('a look that hangs or throws is a finding, and holds up nobody', async (t) => {
  const hanging = await bounded({ check: 'x', look: () => new Promise(() => {}) }, 10)
  t.match(hanging, [{ check: 'x', verdict: 'warning', what: /no answer within 0\.01 s/ }])
  const thrown = await bounded({ check: 'x', look: async () => Promise.reject(new Error('oh')) })
  t.match(thrown, [{ verdict: 'warning', what: /oh$/ }])
})

t.test('a program that is asked is killed when it hangs, and one that is missing is told apart', async (t) => {
  t.match(await runTool('/nonexistent/tool', []), { ok: false, isMissing: true })
  t.match(await runTool('/bin/sh', ['-c', 'echo out; echo err >&2']), { ok: true, text: 'out\nerr\n' })
  t.match(await runTool('/bin/sh', ['-c', 'echo bad >&2; exit 3']), { ok: false, isMissing: false, reason: 'bad' })
})

const answers =
  (known: Readonly<Record<string, string>>): RunTool =>
  async (file, args) => {
    const text = known[`${file} ${args[0] ?? ''}`.trim()] ?? known[file]
    return text === undefined ? { ok: false, isMissing: true, reason: 'not found' } : { ok: true, text }
  }

const look = (tool: RunTool, devices: readonly string[] = [], platform: NodeJS.Platform = 'linux') =>
  gpuProbe({ runTool: tool, platform, devices: async () => devices }).look()

t.test('cards: what they hold, who else uses them, and drivers that do not answer', async (t) => {
  const nvidia = answers({
    'nvidia-smi --query-gpu=name,memory.total,memory.used': 'RTX 4090, 24564, 1024\nRTX 3090, 24576, 24000\n',
    'nvidia-smi --query-compute-apps=pid,process_name,used_memory':
      '17, /usr/bin/blender, 9000\n18, /bin/llama-server, 9000\n19, x, 5\n',
  })
  t.match(await look(nvidia), [
    { verdict: 'ok', what: '0: RTX 4090, 1.0 GiB of 24 GiB in use' },
    { verdict: 'warning', what: /^1: RTX 3090/ },
    { verdict: 'warning', what: 'pid 17 (/usr/bin/blender) holds 8.8 GiB' },
  ])
  t.match(await look(answers({}), ['nvidia0']), [{ verdict: 'problem', what: /nvidia-smi does not answer/ }])
  t.match(await look(answers({}), ['kfd']), [{ verdict: 'warning', what: /rocm-smi does not answer/ }])
  t.match(await look(answers({ 'rocm-smi': 'x' }), ['kfd']), [{ verdict: 'ok' }])
  t.match(await look(answers({})), [{ verdict: 'warning', what: 'none was found' }])
  t.match(await look(answers({}), [], 'darwin'), [{ verdict: 'ok' }])
})

const verdict = async (version: string) => (await nodeProbe(version).look())[0]?.verdict

t.test('Node: the oldest that will do', async (t) => {
  t.equal(await verdict('20.18.3'), 'problem')
  t.equal(await verdict('18.20.0'), 'problem')
  t.equal(await verdict('20.19.0'), 'ok')
  t.equal(await verdict('22.0.0'), 'ok')
})

t.test('where a router answers, it has what this machine lacks for serving', async (t) => {
  const router = await routerDouble({
    'GET /v1/models': json(200, { data: [{ id: 'a' }] }),
    'GET /api/version': json(200, {}),
  })
  t.teardown(() => router.close())
  const here = machine(t)
  const env = { ...here.env, PATH: '/usr/bin:/bin', LSWAP_URL: router.url }
  const report = await examine({ ...here, env })
  t.match(of(report, 'config')[0], { verdict: 'ok', what: /^none in the usual places here/ })
  t.match(of(report, 'engine')[0], { verdict: 'ok', what: /^no llama-server on the PATH here/ })
  t.same([report.ok, report.code], [true, 0])
  const away = await examine({ ...here, env: { ...env, LSWAP_URL: 'http://127.0.0.1:1' } })
  t.match(of(away, 'engine')[0], { verdict: 'problem' }, 'without one it is missed')
})

t.test('from where another machine is looked after, only what that takes is looked at', async (t) => {
  const here = machine(t)
  const env = { ...here.env, PATH: '/usr/bin:/bin', LSWAP_URL: 'http://gpu-box.invalid:1' }
  const report = await examine({ ...here, env })
  t.same([...new Set(report.findings.map(({ check }) => check))], ['node', 'router'])
  writeFileSync(join(here.folder, 'lswap.yaml'), 'models:\n  a:\n    cmd: llama-server --port ${PORT}\n')
  t.match(of(await examine({ ...here, env }), 'engine')[0], { verdict: 'problem' }, 'with a configuration it serves')
})

t.test(
  'a machine that only routes needs no engine and no card; the certificate of an agent is no secret',
  async (t) => {
    const here = machine(t)
    writeFileSync(
      join(here.folder, 'lswap.yaml'),
      'embeddedAgent: false\nagents: [{ id: far, url: "https://127.0.0.1:1", tokenFile: token, tls: { caFile: ca.pem } }]\nmodels: { a: {} }\n',
    )
    writeFileSync(join(here.folder, 'ca.pem'), '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n', {
      mode: 0o644,
    })
    writeFileSync(join(here.folder, 'token'), 'x'.repeat(40), { mode: 0o600 })
    const report = await examine({ ...here, env: { ...here.env, PATH: '/usr/bin:/bin' } })
    t.match(of(report, 'config')[0], { verdict: 'ok' })
    t.match(of(report, 'engine')[0], { verdict: 'ok', what: /^none is needed/ })
    t.same(of(report, 'gpu'), [])
    t.same(
      of(report, 'keys').map(({ what }) => what),
      [`${join(here.folder, 'token')} is yours alone`],
    )
  },
)
