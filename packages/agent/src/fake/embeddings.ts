import { sendError, sendJson } from './answer.ts'
import type { Completion } from './speaking.ts'
import { textHash, tokenIds } from './words.ts'

const DIMENSIONS = 64

/** Vectors of unit length that depend on the text alone, so that equal texts have equal vectors. */
export function embeddings({ engine, body, response }: Completion): void {
  if (engine.options.embeddings !== true) {
    return sendError(response, {
      code: 501,
      message: 'This server does not support embeddings. Start it with `--embeddings`',
      type: 'not_supported_error',
    })
  }
  if (engine.options.pooling === undefined || engine.options.pooling === 'none') {
    return sendError(response, {
      code: 400,
      message: "Pooling type 'none' is not OAI compatible. Please use a different pooling type",
      type: 'invalid_request_error',
    })
  }
  const input = body['input']
  if (input === undefined) {
    return sendError(response, { code: 400, message: '"input" must be provided', type: 'invalid_request_error' })
  }
  const texts = (Array.isArray(input) ? input : [input]).map(String)
  const tokens = texts.reduce((sum, text) => sum + tokenIds(text).length, 0)
  const asBase64 = body['encoding_format'] === 'base64'
  sendJson(response, {
    // The real engine repeats the name that was asked for here, and only here.
    model: typeof body['model'] === 'string' ? body['model'] : engine.name,
    object: 'list',
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    data: texts.map((text, index) => ({
      embedding: asBase64 ? base64(vector(text)) : vector(text),
      index,
      object: 'embedding',
    })),
  })
}

function vector(text: string): number[] {
  const raw = Array.from({ length: DIMENSIONS }, (_, axis) => (textHash(`${axis} ${text}`) % 2000) / 1000 - 1)
  const length = Math.hypot(...raw)
  return raw.map((value) => value / length)
}

function base64(values: readonly number[]): string {
  return Buffer.from(Float32Array.from(values).buffer).toString('base64')
}
