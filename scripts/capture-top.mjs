// Writes the screens of docs/top.md and README.md from a run of `lswap top` on simulated engines. After the build:
// node scripts/capture-top.mjs
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { freePort } from './lib/free-port.mjs'
import { root } from './lib/root.mjs'
import { openTerminal } from './lib/tmux.mjs'
import { isHealthy, until } from './lib/wait.mjs'

const bundle = join(root, 'packages/cli/bundle')
const folder = await mkdtemp(join(tmpdir(), 'lswap-capture-'))
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const env = { ...process.env, CI: '', NO_COLOR: '', LSWAP_STATE_DIR: join(folder, 'state'), LSWAP_URL: url }

const engine = (id, switches) => {
  const command = `${process.execPath} ${join(bundle, 'fake-llama.js')} --port \${PORT} --alias ${id} ${switches}`
  return `  ${id}:\n    cmd: ${JSON.stringify(command)}\n    concurrencyLimit: 2\n`
}
const config = `models:
${engine('qwen2.5-coder-14b', '--load-ms 3000 --tokens 4000 --tps 60')}${engine('llama-3.1-8b', '--load-ms 2000 --tokens 200 --tps 80')}${engine('通义千问-7b', '--load-ms 2000 --tokens 200 --tps 80')}routing:
  router:
    use: exclusive
`
await writeFile(join(folder, 'lswap.yaml'), config)
const cli = join(bundle, 'cli.js')
const router = execa(process.execPath, [cli, 'serve', '--config', 'lswap.yaml', '--listen', `127.0.0.1:${port}`], {
  cwd: folder,
  env,
  reject: false,
  stdin: 'ignore',
})
const leaving = new AbortController()

/** A chat that streams until the end of this script. */
function ask(model, priority = 0) {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hello' }] })
  const headers = { 'content-type': 'application/json', 'x-llamaswap-priority': String(priority) }
  fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body, signal: leaving.signal })
    .then((answer) => answer.text())
    .catch(() => {})
}

const shots = {}
try {
  await until('the router answers', () => isHealthy(url), { limitMs: 20_000 })
  // What a load takes is measured before somebody waits for one: estimates come from it
  for (const model of ['llama-3.1-8b', 'qwen2.5-coder-14b']) {
    await fetch(`${url}/api/models/load/${model}`, { method: 'POST' })
  }
  const terminal = await openTerminal({ folder, env })
  try {
    await terminal.line(`${process.execPath} ${cli} top`)
    await terminal.shows(/qwen2\.5-coder-14b +ready/)
    ask('qwen2.5-coder-14b')
    ask('qwen2.5-coder-14b')
    await terminal.shows(/ready +2\/2/)
    ask('llama-3.1-8b')
    ask('llama-3.1-8b', 3)
    ask('通义千问-7b')
    ask('llama-3.1-8b', -3)
    await terminal.shows(/Queue 4/)
    shots.start = await terminal.shows(/\bBAND\b[^]*llama[^]*qwen2\.5-coder-14b is ready/)
    await terminal.keys('Tab')
    shots.queue = await terminal.shows(/request \d+ waits/)
    await terminal.keys('Enter')
    shots.explain = await terminal.shows(/altogether/)
    await terminal.keys('Escape')
    await terminal.shows(/Models 3/)
    await terminal.keys('BTab')
    await terminal.shows(/▶ Models/)
    await terminal.keys('u')
    shots.unload = await terminal.shows(/y unloads it/)
    await terminal.keys('n')
    await terminal.shows(/nothing was done/)
    await terminal.keys('?')
    shots.help = await terminal.shows(/keep the model loaded/)
  } finally {
    await terminal.close()
  }
} finally {
  leaving.abort()
  router.kill('SIGTERM')
  await router
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

for (const file of ['docs/top.md', 'README.md']) {
  const path = join(root, file)
  const text = await readFile(path, 'utf8')
  const filled = text.replaceAll(/(<!-- screen: (\w+) -->\n+)```text\n[^]*?\n```/g, (whole, head, name) =>
    shots[name] === undefined
      ? whole
      : `${head}\`\`\`text\n${shots[name].replace(/127\.0\.0\.1:\d+/, '127.0.0.1:8080')}\n\`\`\``,
  )
  await writeFile(path, filled)
}
console.log(`${Object.keys(shots).length} screens`)
