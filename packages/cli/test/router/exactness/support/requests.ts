export const BODY = '{"model":"a","prompt":"h\u00c3\u00a9"}'

/** The head of a POST to the chat route, with these fields after Host. */
export const head = (...fields: readonly string[]): string =>
  ['POST /v1/chat/completions HTTP/1.1', 'Host: localhost', ...fields, '', ''].join('\r\n')

/** A POST of Latin-1 text with its length. */
export const post = (body = BODY, ...fields: readonly string[]): string =>
  head(...fields, `Content-Length: ${body.length}`) + body

export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

/** An answer with these lines before the empty one. */
export const answer = (status: string, ...fields: readonly string[]): string =>
  [`HTTP/1.1 ${status}`, ...fields, '', ''].join('\r\n')

/** An answer of known length. */
export const fixed = (body: string, ...fields: readonly string[]): string =>
  answer('200 OK', ...fields, `Content-Length: ${body.length}`) + body

export const OK = fixed('{"ok":true}', 'Content-Type: application/json')
