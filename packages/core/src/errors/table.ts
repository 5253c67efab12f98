// The one table of errors. A code decides HTTP status, OpenAI type, exit code and whether a client library
// should try again; docs/errors.md lists the same codes and a test walks both ways.

export type OpenAiErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'rate_limit_error'
  | 'server_error'

/** What a client library is told about trying again. `estimate`: `Retry-After` in whole seconds, at least 1. `no`: `x-should-retry: false`. */
export type RetryAdvice = 'estimate' | 'no' | 'silent'

export interface ErrorEntry {
  readonly status: number
  readonly exitCode: number
  readonly retry: RetryAdvice
  readonly meaning: string
}

const entry = (status: number, exitCode: number, retry: RetryAdvice, meaning: string): ErrorEntry => ({
  status,
  exitCode,
  retry,
  meaning,
})

export const ERRORS = {
  model_not_found: entry(404, 3, 'silent', 'No model, alias or adapter of this name is configured.'),
  not_found: entry(404, 1, 'silent', 'No such route, or no request of this number.'),
  model_missing: entry(400, 2, 'silent', 'The request names no model.'),
  invalid_json: entry(400, 2, 'silent', 'The body is not the JSON object that this route needs.'),
  invalid_request: entry(400, 2, 'silent', 'The request breaks HTTP or a rule of this route.'),
  invalid_priority: entry(400, 2, 'silent', 'The priority header is not an integer.'),
  invalid_config: entry(400, 2, 'silent', 'The configuration has errors.'),
  invalid_trace: entry(400, 2, 'silent', 'The trace file for a simulation has errors.'),
  unauthorized: entry(401, 4, 'silent', 'The key is missing or wrong.'),
  forbidden: entry(403, 4, 'silent', 'The key, host or origin does not allow this.'),
  method_not_allowed: entry(405, 2, 'silent', 'The route exists, with another method.'),
  model_impossible: entry(
    409,
    6,
    'no',
    'The model can not be loaded as things stand; the message names what is in the way.',
  ),
  model_not_loaded: entry(409, 6, 'no', 'The request forbids loading and the model is not ready.'),
  fenced: entry(409, 6, 'no', 'Another router is in charge of the host.'),
  superseded: entry(409, 6, 'no', 'A later order for the model came first.'),
  body_too_large: entry(413, 2, 'silent', 'The body is over its limit.'),
  queue_full: entry(429, 6, 'estimate', 'Too many requests wait already.'),
  resource_exhausted: entry(429, 6, 'estimate', 'A bound on memory or capacity is reached for now.'),
  cancelled: entry(499, 130, 'silent', 'The client left before the answer.'),
  unloaded: entry(503, 6, 'no', 'The model was unloaded while the request waited or ran.'),
  evicted: entry(503, 6, 'estimate', 'The model had to make room and the request outlived the drain limit.'),
  shutting_down: entry(503, 6, 'estimate', 'The router is shutting down.'),
  wait_exceeded: entry(503, 7, 'estimate', 'The request waited longer than queueTimeoutMs, or than its client does.'),
  host_unreachable: entry(503, 5, 'estimate', 'No host that may run the model answers.'),
  start_failed: entry(502, 1, 'silent', 'The engine did not start; the message has its exit and last log lines.'),
  out_of_memory: entry(
    502,
    1,
    'silent',
    'The engine ran out of device memory at its start, with nothing left to evict.',
  ),
  port_in_use: entry(502, 1, 'silent', 'Another program listens on the port that the model is bound to.'),
  stop_failed: entry(502, 1, 'silent', 'A process could not be stopped and keeps its memory.'),
  upstream_unreachable: entry(502, 1, 'silent', 'The engine refused or reset the connection before any answer.'),
  upstream_died: entry(502, 1, 'silent', 'The engine ended in the middle of the answer.'),
  upstream_refused: entry(
    502,
    1,
    'silent',
    'The engine refused a request whose stream had begun early; the message has its answer.',
  ),
  start_timeout: entry(504, 7, 'silent', 'The engine was not ready within its time limit.'),
  upstream_timeout: entry(
    504,
    7,
    'silent',
    'The engine or peer did not begin its answer within timeouts.responseHeader.',
  ),
  file_exists: entry(409, 6, 'silent', 'A file that a command should write exists already.'),
  address_in_use: entry(500, 5, 'silent', 'Another program holds the address that lswap should listen on.'),
  state_in_use: entry(500, 5, 'silent', 'Another agent uses the state directory.'),
  unreachable: entry(500, 5, 'silent', 'lswap itself can not be reached at the given address.'),
  timed_out: entry(500, 7, 'silent', 'A command of ours was not answered in its time.'),
  internal: entry(500, 1, 'silent', 'A bug in lswap; the log has the details.'),
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/** OpenAI's `error.type` for an HTTP status. */
export const openAiType = (status: number): OpenAiErrorType => {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
