import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gguf, scratch } from '@lswap/core/test-support'
import t, { type Test } from 'tap'
import { readConfigFiles, splitCommand } from '@lswap/core'
import { discover, type Discovery } from '../../src/discover/discover.ts'
import { discoveredConfig } from '../../src/discover/config-text.ts'
import { findFiles } from '../../src/discover/find-files.ts'

/** A machine with these files; those with a name alone are models. */
const machine = (t: Test, files: Readonly<Record<string, Buffer>>, env: Record<string, string> = {}) => {
  const home = scratch(t, { bin: { 'llama-server': '#!/bin/sh\n' } })
  chmodSync(join(home, 'bin', 'llama-server'), 0o755)
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), bytes)
  }
  const io = { cwd: home, env: { HOME: home, PATH: join(home, 'bin'), ...env } }
  return { home, find: () => discover({ io, platform: 'linux' }) }
}

const idsOf = ({ models }: Discovery): readonly string[] => models.map(({ id }) => id)
const HUB = '.cache/huggingface/hub'

t.test('models of all the usual places are found, by the name of their file', async (t) => {
  const { home, find } = machine(t, {
    'models/here-Q4_K_M.gguf': gguf(),
    'models/deep/er/there.gguf': gguf(),
    '.cache/llama.cpp/org_repo-GGUF_cached-Q8_0.gguf': gguf(),
    [`${HUB}/models--o--r/snapshots/abc/hub-F16.gguf`]: gguf(),
    '.lmstudio/models/pub/repo/studio-Q6_K.gguf': gguf(),
    'Documents/not-here.gguf': gguf(),
  })
  const found = await find()
  t.equal(found.engine, join(home, 'bin', 'llama-server'))
  t.same(idsOf(found), ['cached', 'here', 'hub', 'studio', 'there'])
})

t.test('the environment moves the caches', async (t) => {
  const { find } = machine(
    t,
    { 'l/a.gguf': gguf(), 'h/hub/b.gguf': gguf(), '.cache/llama.cpp/c.gguf': gguf() },
    { LLAMA_CACHE: 'l', HF_HOME: 'h' },
  )
  t.same(idsOf(await find()), ['a', 'b'])
})

t.test('half files, adapters, vocabularies and other files are not served', async (t) => {
  const { home, find } = machine(t, {
    'models/empty.gguf': Buffer.alloc(0),
    'models/half.gguf': Buffer.from('GG'),
    'models/page.gguf': Buffer.from('<!doctype html><html><body>Not found</body></html>'),
    'models/lora.gguf': gguf({ 'general.type': 'adapter' }),
    'models/ggml-vocab-llama.gguf': gguf(),
    'models/notes.txt': gguf(),
    'models/.trash/old.gguf': gguf(),
    'models/good.gguf': gguf({ 'general.type': 'model', 'tokenizer.ggml.tokens': ['a', 'b'] }),
  })
  symlinkSync(join(home, 'gone'), join(home, 'models/link.gguf'))
  const found = await find()
  t.same(idsOf(found), ['good'])
  const told = found.passedOver.map(({ path, why }) => [path.slice(home.length + 1), why])
  t.same(
    told,
    [
      ['models/link.gguf', 'it is a link that leads nowhere'],
      ['models/empty.gguf', 'it is empty'],
      ['models/half.gguf', 'it does not begin as a GGUF file does'],
      ['models/page.gguf', 'it does not begin as a GGUF file does'],
    ],
    'what somebody may miss is told, and nothing else',
  )
})

t.test('what may not be read is told', { skip: process.getuid?.() === 0 && 'root reads all' }, async (t) => {
  const { home, find } = machine(t, { 'models/a.gguf': gguf(), 'models/shut/b.gguf': gguf() })
  const shut = [join(home, 'models/shut'), join(home, 'models/a.gguf')]
  for (const path of shut) chmodSync(path, 0)
  const found = await find()
  for (const path of shut) chmodSync(path, 0o700)
  t.same(
    found.passedOver,
    shut.map((path) => ({ path, why: 'you may not read it (EACCES)' })),
  )
})

t.test('a split model is one, by its first part, and only when all are there', async (t) => {
  const { home, find } = machine(t, {
    'models/big-Q4_K_M-00001-of-00002.gguf': gguf({}, 10),
    'models/big-Q4_K_M-00002-of-00002.gguf': gguf({}, 20),
    'models/part-00001-of-00003.gguf': gguf(),
    'models/part-00003-of-00003.gguf': gguf(),
  })
  const { models, passedOver } = await find()
  t.same(passedOver, [{ path: join(home, 'models/part-00001-of-00003.gguf'), why: '2 of its 3 parts are there' }])
  t.match(models, [
    { id: 'big', path: join(home, 'models/big-Q4_K_M-00001-of-00002.gguf'), bytes: 2 * gguf().length + 30 },
  ])
  t.equal(models.length, 1)
})

t.test('a projector belongs to the model beside it and is no model', async (t) => {
  const { home, find } = machine(t, {
    'models/vl/qwen-vl-Q4_K_M.gguf': gguf(),
    'models/vl/qwen-vl-Q8_0.gguf': gguf({}, 1),
    'models/vl/mmproj-F32.gguf': gguf(),
    'models/vl/mmproj-F16.gguf': gguf(),
    'models/flat/a.gguf': gguf(),
    'models/flat/b.gguf': gguf(),
    'models/flat/b-mmproj-f16.gguf': gguf(),
    'models/flat/odd-name.gguf': gguf({ 'general.architecture': 'clip' }),
  })
  const { models } = await find()
  const eye = join(home, 'models/vl/mmproj-F16.gguf')
  t.same(
    models.map(({ id, projector }) => [id, projector]),
    [
      ['a', undefined],
      ['b', join(home, 'models/flat/b-mmproj-f16.gguf')],
      ['qwen-vl:Q4_K_M', eye],
      ['qwen-vl:Q8_0', eye],
    ],
  )
})

t.test('two quantisations carry theirs, and the largest answers to the plain name', async (t) => {
  const { find } = machine(t, { 'models/m-Q4_K_M.gguf': gguf({}, 1), 'models/m-Q8_0.gguf': gguf({}, 2) })
  t.match((await find()).models, [
    { id: 'm:Q4_K_M', aliases: [] },
    { id: 'm:Q8_0', aliases: ['m'] },
  ])
})

t.test('a copy in another cache is the same model; another file of that name gets a number', async (t) => {
  const { find } = machine(t, {
    'models/m-Q4_K_M.gguf': gguf(),
    '.cache/llama.cpp/M-q4_k_m.gguf': gguf(),
    '.lmstudio/models/x/y/m-Q4_K_M.gguf': gguf({}, 5),
  })
  const { models } = await find()
  t.same(models.map(({ id }) => id).length, 2)
  t.same(new Set(models.map(({ id }) => id.toLowerCase())).size, 2)
})

t.test("Hugging Face's older commits are not served beside the newest, and its links are followed", async (t) => {
  const repo = `${HUB}/models--o--r`
  const { home, find } = machine(t, {
    [`${repo}/blobs/one`]: gguf({}, 1),
    [`${repo}/snapshots/new/x`]: gguf(),
    [`${repo}/snapshots/old/m-Q4_0.gguf`]: gguf({}, 2),
  })
  utimesSync(join(home, repo, 'snapshots/old/m-Q4_0.gguf'), 1, 1)
  symlinkSync('../../blobs/one', join(home, repo, 'snapshots/new/m-Q4_0.gguf'))
  symlinkSync('../../blobs/gone', join(home, repo, 'snapshots/new/n.gguf'))
  t.match((await find()).models, [{ id: 'm', path: join(home, repo, 'snapshots/new/m-Q4_0.gguf') }])
})

t.test('what makes vectors is started for that', async (t) => {
  const { find } = machine(t, {
    'models/embed.gguf': gguf({ 'general.architecture': 'nomic-bert' }),
    'models/pooled.gguf': gguf({ 'general.architecture': 'qwen3', 'qwen3.pooling_type': 3 }),
    'models/rank.gguf': gguf({ 'general.architecture': 'bert', 'bert.pooling_type': 4 }),
    'models/talk.gguf': gguf({ 'general.architecture': 'qwen3' }),
  })
  t.same(
    (await find()).models.map(({ id, purpose }) => `${id} ${purpose}`),
    ['embed embeddings', 'pooled embeddings', 'rank reranking', 'talk chat'],
  )
})

t.test('the search ends: links in a circle, too many files', async (t) => {
  const { home, find } = machine(t, { 'models/a.gguf': gguf() })
  symlinkSync(join(home, 'models'), join(home, 'models', 'again'))
  t.same(idsOf(await find()), ['a'])
  for (let number = 0; number < 20; number += 1) writeFileSync(join(home, 'models', `${number}.txt`), '')
  t.match(await findFiles(join(home, 'models'), 10), { isCut: true })
  rmSync(join(home, 'models', 'again'))
  t.match(await findFiles(join(home, 'models'), 21), { isCut: false })
})

t.test('what is found makes a configuration without a complaint, whatever the files are called', async (t) => {
  const names = [
    'plain',
    'mit leer',
    'quo"te',
    "apo'strophe",
    'back\\slash',
    'dollar$HOME',
    'macro${X}',
    '😀',
    'yes',
    '#hash',
    'a: b',
    '1.0',
    '-x',
  ]
  const { home, find } = machine(t, Object.fromEntries(names.map((name) => [`models/${name}-Q4_0.gguf`, gguf()])))
  const { engine = '', models } = await find()
  const text = discoveredConfig(engine, models)
  const reading = readConfigFiles([{ file: 'x', text }], { env: {} })
  t.same(reading.ok ? reading.warnings : reading.issues, [], text)
  const read = reading.ok ? reading.config.models : []
  t.same(read.map(({ id }) => String(id)).toSorted(), names.filter((name) => !name.includes('${')).toSorted())
  for (const { id, cmd } of read) {
    t.same(splitCommand(cmd).slice(-2), ['--model', join(home, 'models', `${id}-Q4_0.gguf`)], cmd)
    t.equal(splitCommand(cmd)[0], engine)
  }
})
