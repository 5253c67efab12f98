import type { ServerResponse } from 'node:http'
import { sendError, sendJson } from './answer.ts'
import type { Engine } from './engine.ts'

export function health(engine: Engine, response: ServerResponse): void {
  const { options } = engine
  if (options.healthHang === true) return
  if (options.health404 === true) return notFound(response)
  if (engine.ready && flaps(options.healthFlap ?? 0)) return loading(response)
  if (options.healthSlowMs === undefined) return tell(engine, response)
  setTimeout(() => tell(engine, response), options.healthSlowMs)
}

function tell(engine: Engine, response: ServerResponse): void {
  if (engine.ready) sendJson(response, { status: 'ok' })
  else loading(response)
}

export function loading(response: ServerResponse): void {
  sendError(response, { message: 'Loading model', type: 'unavailable_error', code: 503 })
}

export function notFound(response: ServerResponse): void {
  sendError(response, { message: 'File Not Found', type: 'not_found_error', code: 404 })
}

let asked = 0

/** Which answers are bad when this share of them is, the first good: always the same ones. */
function flaps(share: number): boolean {
  asked += 1
  return Math.floor(asked * share) > Math.floor((asked - 1) * share)
}
