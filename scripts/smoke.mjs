// What a user's CI would do: packs the CLI, installs the archive in an empty folder, and drives it from there.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { freePort } from './lib/free-port.mjs'
import { installPacked } from './lib/install-packed.mjs'
import { root } from './lib/root.mjs'
import { processesWith } from './lib/processes.mjs'
import { hasTmux, openTerminal } from './lib/tmux.mjs'
import { isHealthy, until } from './lib/wait.mjs'

const top = await realpath(await mkdtemp(join(tmpdir(), 'lswap-smoke-')))
process.once('exit', () => rmSync(top, { recursive: true, force: true }))
const { home, installed, bin } = await installPacked(top)

const port = await freePort()
const url = `http://127.0.0.1:${port}`
const env = {
  NODE_EXTRA_CA_CERTS: undefined,
  LSWAP_CONFIG: undefined,
  LSWAP_KEY_FILE: undefined,
  LSWAP_STATE_DIR: join(top, 'state'),
  XDG_CONFIG_HOME: join(top, 'config'),
  LSWAP_URL: url,
}
const options = { cwd: home, env, stdin: 'ignore', reject: false, timeout: 120_000 }

await step('the package holds what it needs and says its version', async () => {
  const files = await readdir(installed, { recursive: true })
  const wanted = ['README.md', 'LICENSE', 'THIRD_PARTY_LICENSES.txt', 'schema/lswap.schema.json']
  for (const file of [...wanted, 'bundle/cli.js', 'bundle/fake-llama.js']) {
    assert.ok(files.includes(file), `${file} is not in the package`)
  }
  const licences = await readFile(join(installed, 'THIRD_PARTY_LICENSES.txt'), 'utf8')
  for (const name of ['commander', 'yaml', 'zod', 'pino']) assert.match(licences, new RegExp(`^${name} \\d`, 'm'))
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const code = await readFile(join(installed, file), 'utf8')
    assert.ok(!code.includes(root), `${file} names a folder of the machine that built it`)
    assert.doesNotMatch(code, /^\/\/# sourceMappingURL/m)
  }
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const { stdout } = await lswap(0, '--version')
  assert.ok(stdout.includes(version), `--version says ${stdout}`)
})

await step('mistakes are told by the exit code', async () => {
  await lswap(2, 'no-such-command')
  await lswap(2, 'load')
  await lswap(5, 'ps', '--json')
  await writeFile(join(home, 'bad.yaml'), 'models:\n  tiny:\n    cmd: llama-server --port ${PORT}\n    tttl: 5\n')
  const { stderr } = await lswap(2, 'serve', '--config', 'bad.yaml', '--listen', '127.0.0.1:0')
  assert.match(stderr, /bad\.yaml:4:5\b/)
})

// Pretty, as on a terminal: the formatter is one of the parts that only some commands load.
const serve = ['serve', '--demo', '--log-format', 'pretty', '--listen', `127.0.0.1:${port}`]
const served = execa(bin, serve, { ...options, timeout: 300_000 })
const ended = served.then(({ exitCode, stderr }) =>
  Promise.reject(new Error(`serve ended with ${exitCode}:\n${stderr}`)),
)
ended.catch(() => {})

await step('serve --demo answers', async () => {
  await Promise.race([until('serve is healthy', () => isHealthy(url), { limitMs: 20_000 }), ended])
  const { data } = await (await ask('/v1/models')).json()
  assert.deepEqual(data.map((model) => model.id).toSorted(), ['demo-a', 'demo-b'])
  const { version, commit } = await (await ask('/api/version')).json()
  assert.match(version, /^\d+\.\d+\.\d+/)
  assert.match(commit, /^(?:[\da-f]{12}|unknown)$/)
  await lswap(5, ...serve)
})

await step('load, swap and unload show in ps --json', async () => {
  assert.deepEqual(await ready(), [])
  await lswap(0, 'load', 'demo-a')
  assert.deepEqual(await ready(), ['demo-a'])
  const answer = await chat('demo-b')
  assert.equal(answer.status, 200)
  const { choices } = await answer.json()
  assert.ok(choices[0].message.content.length > 0)
  assert.deepEqual(await ready(), ['demo-b'])
  await lswap(0, 'unload', 'demo-b')
  assert.deepEqual(await ready(), [])
})

await step('what only looks answers, in words and as JSON', async () => {
  const { stdout: listed } = await lswap(0, 'models')
  assert.match(listed, /^demo-a .*\ndemo-b /m)
  assert.deepEqual(JSON.parse((await lswap(0, 'queue', '--json')).stdout).waiting ?? [], [])
  const answer = await chat('demo-a')
  await answer.text()
  const number = answer.headers.get('x-lswap-request-id')
  assert.match((await lswap(0, 'explain', number)).stdout, /altogether/)
  assert.match((await lswap(0, 'completion', 'bash')).stdout, /_lswap\(\)/)
  // What it finds besides, and so its exit code, is the machine's
  assert.match((await execa(bin, ['doctor'], options)).stdout, /^ok +router/m)
  assert.match(await (await ask('/', { headers: { accept: 'text/html' } })).text(), /\/upstream\/demo-b\//)
})

await step('a configuration is written and checked', async () => {
  await writeFile(join(home, 'good.yaml'), 'models:\n  tiny:\n    cmd: llama-server --port ${PORT}\n')
  await lswap(0, 'check', 'good.yaml')
  const { stdout } = await lswap(2, 'check', 'bad.yaml', '--json')
  assert.equal(JSON.parse(stdout).issues[0].suggestion, 'ttl')
})

await step('logs show what an engine printed, and what the router did', async () => {
  assert.match((await lswap(0, 'logs', 'demo-b')).stdout, /demo-b: start/)
  assert.match((await lswap(0, 'logs', 'router')).stdout, /swap ended/)
})

await step('top prints what there is, as text and as JSON', async () => {
  await lswap(0, 'load', 'demo-a')
  assert.match((await lswap(0, 'top', '--once')).stdout, /^demo-a +ready/m)
  const { models } = JSON.parse((await lswap(0, 'top', '--json', '--once')).stdout)
  assert.equal(models.find(({ model }) => model === 'demo-a').state, 'ready')
})

await step('top is a dashboard in a terminal, whose keys unload a model, and leaves it clean', async () => {
  if (!(await hasTmux())) {
    // CI installs it
    assert.equal(process.env.CI, undefined, 'tmux is not installed')
    return
  }
  const screen = await openTerminal({ folder: top, env: { ...process.env, ...env, CI: '' } })
  try {
    await screen.line(`${bin} top`)
    await screen.shows(/› demo-a +ready/)
    await screen.keys('u', 'y')
    await screen.shows(/› demo-a +stopped/)
    await screen.keys('q')
    assert.match(await screen.shows(/\$$/), /^\$/m)
    assert.equal(await screen.variable('alternate_on'), '0')
  } finally {
    await screen.close()
  }
})

await step('an unknown model is told by exit code and status', async () => {
  await lswap(3, 'load', 'no-such-model')
  await lswap(3, 'unload', 'no-such-model')
  assert.equal((await chat('no-such-model')).status, 404)
})

await step('SIGTERM ends it with 0 and leaves no process', async () => {
  await lswap(0, 'load', 'demo-a')
  served.kill('SIGTERM')
  const { exitCode, stderr } = await served
  assert.equal(exitCode, 0, stderr)
  assert.deepEqual(await processesWith(top), [])
})

/** Runs the installed command, and fails unless it ends with the exit code. */
async function lswap(exitCode, ...args) {
  const ran = await execa(bin, args, options)
  assert.equal(
    ran.exitCode,
    exitCode,
    `lswap ${args.join(' ')} ended with ${ran.exitCode}:\n${ran.stdout}\n${ran.stderr}`,
  )
  return ran
}

async function ready() {
  const { stdout } = await lswap(0, 'ps', '--json')
  const { running } = JSON.parse(stdout)
  return running.filter(({ state }) => state === 'ready').map(({ model }) => model)
}

function ask(path, body) {
  return fetch(`${url}${path}`, { ...body, signal: AbortSignal.timeout(30_000) })
}

function chat(model) {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 8 })
  return ask('/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

async function step(name, check) {
  await check()
  console.log(`smoke: ${name}`)
}
