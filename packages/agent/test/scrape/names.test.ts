import t from 'tap'
import { readExposition } from '../../src/scrape/exposition.ts'
import { isIdle, numbersIn, slotNumbers } from '../../src/scrape/names.ts'
import { sharesContext } from '../../src/scrape/shares-context.ts'

const numbersOf = (text: string) => numbersIn(readExposition(text))

t.test('a llama-server tells what it is at and what it put off', async (t) => {
  const text = `# HELP llamacpp:requests_processing Number of requests processing.
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 2
llamacpp:requests_deferred 3
llamacpp:predicted_tokens_seconds 0
`
  t.same(numbersOf(text), { running: 2, deferred: 3 })
  t.notOk(isIdle(readExposition(text)))
  t.ok(isIdle(readExposition('llamacpp:requests_processing 0')))
})

t.test('a vLLM tells its queue, its cache and its adapters, by the names of both ages', async (t) => {
  const text = `vllm:num_requests_waiting{engine="0",model_name="m"} 4.0
vllm:num_requests_waiting{engine="1",model_name="m"} 1.0
vllm:num_requests_running{engine="0",model_name="m"} 2.0
vllm:num_requests_running{engine="1",model_name="m"} 3.0
vllm:gpu_cache_usage_perc{engine="0"} 0.25
vllm:lora_requests_info{max_lora="4",running_lora_adapters="a,b",waiting_lora_adapters="b,c"} 1700000002.5
vllm:lora_requests_info{max_lora="4",running_lora_adapters="old",waiting_lora_adapters=""} 1700000001.0
`
  t.same(numbersOf(text), { waiting: 5, running: 5, kv: 0.25, activeAdapters: ['a', 'b', 'c'], maxAdapters: 4 })
  t.same(numbersOf(`${text}vllm:kv_cache_usage_perc 0.5\n`).kv, 0.5)
})

t.test('other engines and other text tell nothing', async (t) => {
  t.same(numbersOf('<html>not found</html>\nprocess_cpu_seconds_total 12\nvllm:num_requests_waiting NaN\n'), {})
})

t.test('labels with quotes, commas and braces are read', async (t) => {
  t.same(readExposition('a{b="x\\"},y",c="1"} 2 1700000000'), [{ name: 'a', labels: { b: 'x"},y', c: '1' }, value: 2 }])
})

t.test('busy slots hold context; idle ones only keep what can be had', async (t) => {
  const slots = [
    { is_processing: true, n_ctx: 1_000, n_prompt_tokens: 300 },
    { is_processing: false, n_ctx: 1_000, n_prompt_tokens: 900 },
  ]
  t.same(slotNumbers(slots, false), { running: 1, kv: 0.15 })
  t.same(slotNumbers(slots, true), { running: 1, kv: 0.3 }, 'each of them shows all of a shared one')
  t.same(slotNumbers([{ is_processing: true, n_ctx: 1_000 }], false), { running: 1 }, 'one that does not tell of it')
  for (const other of [[null], [{ n_ctx: 0 }]]) t.same(slotNumbers(other, false), { running: 0 })
  for (const other of [null, [], {}]) t.same(slotNumbers(other, false), {})
})

t.test('slots share a context when the command says so, or leaves their number to the engine', async (t) => {
  for (const cmd of ['llama-server -c 512', 'llama-server -np 2 -kvu', "a 'b"]) t.ok(sharesContext(cmd), cmd)
  for (const cmd of ['llama-server -np 2', 'llama-server --parallel=4']) t.notOk(sharesContext(cmd), cmd)
})
