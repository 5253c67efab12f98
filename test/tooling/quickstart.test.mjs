import { symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { scratch } from '../../packages/core/dist/test/support/index.js'
import t from 'tap'
import { parse } from 'yaml'
import { configText, modelIds } from '../../scripts/lib/quickstart/config.mjs'
import { findModels } from '../../scripts/lib/quickstart/find-models.mjs'
import { modelPlaces } from '../../scripts/lib/quickstart/model-places.mjs'
import { chooseModels } from '../../scripts/lib/quickstart/models.mjs'
import { root } from '../../scripts/lib/root.mjs'
import { swapRequests } from '../../scripts/lib/quickstart/requests.mjs'

function length(text) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(text.length))
  return bytes
}

const places = (env, platform) => modelPlaces({ cwd: '/w', home: '/h', env, platform })

/** The first bytes of a model, and zeros up to about its size. */
function gguf(architecture, size = 0) {
  const key = 'general.architecture'
  const entry = [
    length(key),
    Buffer.from(key),
    Buffer.from([8, 0, 0, 0]),
    length(architecture),
    Buffer.from(architecture),
  ]
  return Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(20), ...entry, Buffer.alloc(size)])
}

t.test('finds whole chat models, the smallest first, also behind links as in the Hugging Face cache', async (t) => {
  const top = scratch(t, {
    blob: gguf('qwen2', 500),
    models: {
      'big.gguf': gguf('llama', 900),
      'mmproj-big.gguf': gguf('clip'),
      'nomic.gguf': gguf('nomic-bert'),
      'notes.gguf': 'no model at all',
      'half.gguf.part': gguf('llama'),
      'split-00001-of-00003.gguf': gguf('llama', 200),
      'split-00002-of-00003.gguf': gguf('llama', 200),
    },
    hub: { 'models--x': { snapshots: { c0ffee: {} } } },
  })
  await symlink(join(top, 'blob'), join(top, 'hub/models--x/snapshots/c0ffee/small.gguf'))
  await symlink(join(top, 'gone'), join(top, 'hub/models--x/snapshots/c0ffee/dangling.gguf'))
  await symlink(top, join(top, 'models/round'))
  const found = await findModels([join(top, 'models'), join(top, 'absent'), join(top, 'hub')])
  t.same(
    found.map(({ path }) => basename(path)),
    ['small.gguf', 'split-00001-of-00003.gguf', 'big.gguf'],
  )
})

t.test('looks where llama.cpp, Hugging Face and LM Studio keep models', async (t) => {
  t.same(places({}, 'linux'), [
    '/w/models',
    '/h/models',
    '/h/.cache/llama.cpp',
    '/h/.cache/huggingface/hub',
    '/h/.lmstudio/models',
  ])
  t.equal(places({}, 'darwin')[2], '/h/Library/Caches/llama.cpp')
  t.same(places({ LLAMA_CACHE: '/l', HF_HOME: '/f' }, 'linux').slice(2, 4), ['/l', '/f/hub'])
})

t.test('models are called by their files, without the noise of quantisation, and never the same', async (t) => {
  t.same(modelIds(['/m/Qwen3-0.6B-Q8_0.gguf', '/m/SmolLM2.IQ4_XS.gguf', '/m/big-UD-Q4_K_XL-00001-of-00002.gguf']), [
    'Qwen3-0.6B',
    'SmolLM2',
    'big',
  ])
  t.same(modelIds(['/m/x-Q4_0.gguf', '/m/x-Q8_0.gguf']), ['x-Q4_0', 'x-Q8_0'])
  t.same(modelIds(['/m/x.gguf', '/n/x.gguf']), ['x-1', 'x-2'])
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
  const kept = { HOME: process.env.HOME, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME }
  t.teardown(() => {
    for (const [name, value] of Object.entries(kept)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
  Object.assign(process.env, { HOME: home, XDG_CACHE_HOME: join(home, 'cache') })
  const said = []
  const chosen = await chooseModels({ cwd: home, say: (line) => said.push(line) })
  t.same(
    chosen.map(({ id }) => id),
    ['tiny-a', 'tiny-b'],
  )
  t.match(said, [/two tiny models were made up: random weights/])
})
