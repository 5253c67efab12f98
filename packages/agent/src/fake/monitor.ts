import type { ServerResponse } from 'node:http'
import { sendError, sendJson, sendText } from './answer.ts'
import type { Engine } from './engine.ts'

const startedAt = Date.now()

export function models(engine: Engine, response: ServerResponse): void {
  const id = engine.name
  sendJson(response, {
    models: [{ name: id, model: id, type: 'model', capabilities: ['completion'], details: { format: 'gguf' } }],
    object: 'list',
    data: [
      {
        id,
        aliases: [id],
        tags: [],
        object: 'model',
        created: Math.floor(Date.now() / 1000),
        owned_by: 'llamacpp',
        meta: { n_ctx: engine.contextTokens, n_ctx_train: engine.contextTokens },
      },
    ],
  })
}

export function props(engine: Engine, response: ServerResponse): void {
  sendJson(response, {
    default_generation_settings: { params: {}, n_ctx: engine.contextTokens },
    total_slots: engine.slots.total,
    model_alias: engine.name,
    model_path: engine.options.model ?? '',
    modalities: { vision: false, video: false, audio: false },
    endpoint_slots: engine.options.noSlots !== true,
    endpoint_props: false,
    endpoint_metrics: engine.options.metrics === true,
    chat_template: '',
    build_info: 'b0-lswap-fake',
    is_sleeping: false,
  })
}

export function slots(engine: Engine, response: ServerResponse): void {
  if (engine.options.noSlots === true) return disabled(response, 'slots endpoint. Start it with `--slots`')
  sendJson(
    response,
    engine.slots.busy().map((busy, id) => ({
      id,
      n_ctx: engine.contextTokens,
      speculative: false,
      is_processing: busy,
    })),
  )
}

export function metrics(engine: Engine, response: ServerResponse): void {
  if (engine.options.metrics !== true) return disabled(response, 'metrics endpoint. Start it with `--metrics`')
  const { counters } = engine
  const busy = engine.slots.busy().filter(Boolean).length
  const rows: readonly (readonly [string, string, number])[] = [
    ['counter', 'prompt_tokens_total', counters.promptTokens],
    ['counter', 'prompt_seconds_total', counters.promptMs / 1000],
    ['counter', 'tokens_predicted_total', counters.predictedTokens],
    ['counter', 'tokens_predicted_seconds_total', counters.predictedMs / 1000],
    ['counter', 'n_decode_total', counters.decodes],
    ['gauge', 'requests_processing', busy],
    ['gauge', 'requests_deferred', engine.slots.waiting()],
  ]
  response.setHeader('Process-Start-Time-Unix', String(Math.floor(startedAt / 1000)))
  sendText(response, {
    status: 200,
    type: 'text/plain; version=0.0.4',
    body: rows.map(([type, name, value]) => `# TYPE llamacpp:${name} ${type}\nllamacpp:${name} ${value}\n`).join(''),
  })
}

function disabled(response: ServerResponse, what: string): void {
  sendError(response, { code: 501, message: `This server does not support ${what}`, type: 'not_supported_error' })
}
