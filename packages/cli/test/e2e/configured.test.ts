import t from 'tap'
import { chat } from './chat.ts'
import { configured } from './configured.ts'
import { until } from './until.ts'

// Configurations of the shapes that people publish, with engines that are simulated
t.setTimeout(240_000)

const listed = async (url: string): Promise<readonly string[]> => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

const status = async (url: string, model: string): Promise<number> => {
  const response = await chat(url, model)
  await response.text()
  return response.status
}

t.test('groups: helpers stay, large ones swap, and the helper of the hook is there at once', async (t) => {
  const { url, running, stderr } = await configured(t, 'groups')
  t.notMatch(stderr(), /warning:|error:/)
  await until('the preload', async () => ((await running()).includes('bge-m3') ? true : undefined))
  t.equal(await status(url, 'writer'), 200)
  t.equal(await status(url, 'tiny-chat'), 200)
  t.same(await running(), ['bge-m3', 'mistral-small-24b', 'tiny-chat'])
  t.equal(await status(url, 'coder'), 200)
  t.same(await running(), ['bge-m3', 'qwen-coder-14b', 'tiny-chat'])
  t.same(await listed(url), ['mistral-small-24b', 'qwen-coder-14b', 'tiny-chat'])
})

t.test('matrix: what is written down runs together, and nothing else', async (t) => {
  const { url, running, stderr } = await configured(t, 'matrix')
  t.notMatch(stderr(), /warning:|error:/)
  for (const model of ['chat-8b', 'whisper-1', 'vision-7b']) t.equal(await status(url, model), 200)
  t.same(await running(), ['vision-7b', 'whisper'], 'the cheaper one went')
  t.equal(await status(url, 'chat-32b'), 200)
  t.same(await running(), ['chat-32b', 'whisper'])
})

t.test('docker: the container is started with its name and port, and stopped by cmdStop when it must go', async (t) => {
  const { url, running, docker, journal } = await configured(t, 'docker')
  t.equal(await status(url, 'phi-mini'), 200)
  t.equal(await status(url, 'llava'), 200)
  t.same(await running(), ['llava'])
  const [first, stop, second] = docker()
  t.match(
    first,
    /^run --rm --init --name phi-mini --gpus all -p 127\.0\.0\.1:\d+:8080 .* --model \/models\/phi-mini\.gguf/,
  )
  t.equal(stop, 'stop --time 5 phi-mini')
  t.match(second, /--name llava .* --model \/models\/llava 1\.6\.gguf$/)
  await journal.saw('phi-mini is told to end', ({ event }) => event === 'signal')
  t.equal((await journal.starts()).length, 2)
})

t.test('vLLM: the engine hears its own name for the model, and the operator decides about sampling', async (t) => {
  const { url, stderr } = await configured(t, 'vllm')
  t.notMatch(stderr(), /warning:|error:/)
  for (const name of ['assistant', 'acme/assistant:latest', 'acme/assistant-32b-awq', 'sql', 'acme/embedder']) {
    t.equal(await status(url, name), 200, name)
  }
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: unknown[] }
  t.match(data[0], {
    id: 'acme/assistant-32b-awq',
    name: 'Assistant',
    aliases: ['assistant', 'acme/assistant:latest', 'sql'],
    context_length: 32768,
  })
})

t.test('macros: nested ones are put in, the model wins over the file, and types stay', async (t) => {
  const { url, running, journal, stderr } = await configured(t, 'macros')
  t.notMatch(stderr(), /warning:|error:/)
  t.equal(await status(url, 'family'), 200)
  t.same(await running(), ['family-27b'])
  t.equal(await status(url, 'family-9b:slow'), 200)
  t.equal(await status(url, 'family'), 200, 'the warm one')
  t.same(await running(), ['family-9b'])
  t.equal((await journal.starts()).length, 2)
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as {
    data: { id: string; meta: { llamaswap: unknown } }[]
  }
  t.same(
    data.map(({ id }) => id),
    ['family-9b', 'family-9b:fast', 'family-9b:slow', 'family-27b', 'family-27b:fast', 'family-27b:slow', 'family'],
  )
  t.match(data[0]?.meta.llamaswap, { context: 16384, thinking: true, note: 'family-9b at 0.6' })
  t.match(data[3]?.meta.llamaswap, { context: 65536 })
})
