import { join } from 'node:path'
import { execa } from 'execa'
import { gguf, scratch } from '../../packages/core/dist/test/support/index.js'
import t from 'tap'
import { parse } from 'yaml'
import { configText } from '../../scripts/lib/quickstart/config.mjs'
import { chooseModels } from '../../scripts/lib/quickstart/models.mjs'
import { root } from '../../scripts/lib/root.mjs'
import { swapRequests } from '../../scripts/lib/quickstart/requests.mjs'

t.test('serves the two smallest chat models that lswap itself finds, by its names for them', async (t) => {
  const home = scratch(t, {
    models: {
      'big-Q4_K_M.gguf': gguf({}, 900),
      'small-Q8_0.gguf': gguf({ 'general.architecture': 'qwen2' }, 500),
      'nomic.gguf': gguf({ 'general.architecture': 'nomic-bert' }),
      'notes.gguf': 'no model at all',
      'middle.gguf': gguf({}, 700),
    },
  })
  const said = []
  const chosen = await chooseModels({ cwd: home, env: { HOME: home }, say: (line) => said.push(line) })
  t.same(chosen, [
    { id: 'small', path: join(home, 'models/small-Q8_0.gguf') },
    { id: 'middle', path: join(home, 'models/middle.gguf') },
  ])
  t.same(said, ['3 models found; serving the two smallest'])
})

t.test('the configuration quotes what a command line would split', async (t) => {
  const { models } = parse(
    configText({ engine: '/opt/llama-server', models: [{ id: 'a b', path: "/my models/it's.gguf" }] }),
  )
  t.match(models['a b'].cmd, String.raw`--model '/my models/it'\''s.gguf'`)
  t.match(models['a b'].cmd, /^\/opt\/llama-server --host 127\.0\.0\.1 --port \$\{PORT\} /)
})

t.test('the printed requests can be pasted into a shell', async (t) => {
  const [request] = swapRequests('http://127.0.0.1:1', ["it's", 'b', 'c'])
  t.match(request.curl, String.raw`"model":"it'\''s"`)
  t.equal(swapRequests('http://127.0.0.1:1', ['a', 'b', 'c']).length, 2)
})

t.test('--help tells at once what it can do, and installs nothing', async (t) => {
  const ran = await execa(join(root, 'scripts/quickstart'), ['--port', '1', '--help'], { timeout: 20_000 })
  t.match(ran.stdout, /^usage: scripts\/quickstart \[--port N\] \[--once\]\n[\s\S]*--once/)
  t.equal(ran.stderr, '')
  t.equal(ran.stdout.split('\n').length, 4, 'nothing of an installer')
})

t.test('where no model is found two are made up, and both are models', async (t) => {
  const home = scratch(t)
  const said = []
  const chosen = await chooseModels({ cwd: home, env: { HOME: home }, say: (line) => said.push(line) })
  t.same(
    chosen.map(({ id }) => id),
    ['tiny-a', 'tiny-b'],
  )
  t.match(said, [/two tiny models were made up: random weights/])
})
