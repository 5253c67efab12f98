import { PassThrough } from 'node:stream'
import t from 'tap'
import { createModelLog } from '../../src/logs/model-log.ts'
import { crashFailure, startExitFailure } from '../../src/process/exit-report.ts'
import type { StartOutput } from '../../src/process/exit-report.ts'

const outputOf = async (lines: readonly string[]): Promise<StartOutput> => {
  const log = createModelLog()
  const since = log.mark('start')
  const stream = new PassThrough()
  log.follow(stream)
  stream.end(lines.map((line) => `${line}\n`).join(''))
  await new Promise((resolve) => stream.once('close', resolve))
  return { log, since }
}

const EXIT = { code: 1, signal: undefined }

for (const line of [
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory',
  'CUDA error: out of memory',
  'ggml_vulkan: Device memory allocation of size 1 failed. vk::Device::allocateMemory: ErrorOutOfDeviceMemory',
  'llama_model_load: error loading model: unable to allocate CUDA0 buffer',
  'alloc_tensor_range: failed to allocate Metal buffer of size 123',
  'ggml_gallocr_reserve_n: failed to allocate ROCm0 buffer of size 5',
  'torch.OutOfMemoryError: tried to allocate 2.00 GiB',
  'error: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)',
  'ggml_backend_alloc_ctx_tensors_from_buft: failed',
]) {
  t.test(`out of memory: ${line}`, async (t) => {
    t.equal(startExitFailure(EXIT, await outputOf(['loading', line, 'bye'])).code, 'out_of_memory')
  })
}

t.test('other ends are failed starts', async (t) => {
  for (const line of ['model is corrupted', 'unknown argument: --foo', 'buffer size = 12 MiB']) {
    t.equal(startExitFailure(EXIT, await outputOf([line])).code, 'start_failed', line)
  }
})

t.test('quotes at most the last 20 lines', async (t) => {
  const output = await outputOf(Array.from({ length: 50 }, (_, at) => `line ${at}`))
  const lines = startExitFailure({ code: undefined, signal: 'SIGSEGV' }, output).message.split('\n')
  t.match(lines[0], /ended by SIGSEGV before it was ready/)
  t.same(
    lines.slice(1),
    Array.from({ length: 20 }, (_, at) => `line ${at + 30}`),
  )
  t.match(crashFailure(EXIT, await outputOf([])).message, /code 1 .*it wrote nothing/)
})
