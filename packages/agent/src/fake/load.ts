import type { Engine } from './engine.ts'
import { CRASH_CODE } from './generate.ts'
import { takeMemory } from './ledger.ts'
import { reportLoading, reportReady } from './router-report.ts'

const IDLE_BEFORE_CRASH_MS = 100

/** Loads the pretended model; calls `onReady` unless the load fails, which ends the process as in the real engine. */
export function load(engine: Engine, onReady: () => void): void {
  const { options } = engine
  engine.log(`srv    load_model: loading model '${options.model ?? ''}'`)
  if (options.crashAt === 'load') {
    setTimeout(() => failLoad(engine, options.oom === true), options.loadMs ?? 0)
    return
  }
  if (options.vramMb !== undefined && options.gpuFile !== undefined) {
    const holder = { pid: process.pid, mb: options.vramMb, releaseMs: options.releaseMs ?? 0 }
    if (!takeMemory(options.gpuFile, holder)) failLoad(engine, true)
  }
  reportLoading(0)
  const begun = performance.now()
  const loadMs = options.loadMs ?? 0
  let progress: NodeJS.Timeout | undefined
  if (loadMs <= 0) return finish()
  progress = setInterval(() => reportLoading(Math.min(1, (performance.now() - begun) / loadMs)), loadMs / 10)
  setTimeout(finish, loadMs)

  function finish(): void {
    clearInterval(progress)
    reportLoading(1)
    reportReady(engine)
    engine.ready = true
    engine.journal({ event: 'ready' })
    engine.log('srv  llama_server: model loaded')
    if (options.crashAt === 'idle') crashWhenIdle(engine)
    onReady()
  }
}

function failLoad(engine: Engine, outOfMemory: boolean): never {
  const { options, log } = engine
  if (outOfMemory) {
    const mb = (options.vramMb ?? 4096).toFixed(2)
    log(
      `ggml_backend_cuda_buffer_type_alloc_buffer: allocating ${mb} MiB on device 0: cudaMalloc failed: out of memory`,
    )
    log('alloc_tensor_range: failed to allocate CUDA0 buffer')
    log('llama_model_load: error loading model: unable to allocate CUDA0 buffer')
  } else {
    log('llama_model_load: error loading model: tensor data is not within the file bounds, model is corrupted')
  }
  log(`srv    load_model: failed to load model, '${options.model ?? ''}'`)
  log('srv  llama_server: exiting due to model loading error')
  return engine.exit(options.exitCode ?? 1, outOfMemory ? 'out of memory' : 'load failed')
}

function crashWhenIdle(engine: Engine): void {
  let idleSince = performance.now()
  setInterval(() => {
    if (engine.inFlight > 0) idleSince = performance.now()
    if (performance.now() - idleSince < IDLE_BEFORE_CRASH_MS) return
    engine.log('GGML_ASSERT(buffer) failed')
    engine.exit(engine.options.exitCode ?? CRASH_CODE, 'crash')
  }, 10)
}
