import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Seen {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
}

export interface RouterDouble {
  readonly url: string
  /** What was asked, in order. */
  readonly seen: readonly Seen[]
  /** Resolves once a request with this in its method and URL has come. */
  asked(part: string): Promise<void>
  close(): Promise<void>
}

export type Reply = (request: IncomingMessage, response: ServerResponse) => void

/** Answers with a document of JSON. */
export const json =
  (status: number, document: unknown): Reply =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  }

/** Never answers. */
export const silence: Reply = () => {}

/** A router's error answer: as text for who wants text first, without its code. */
export const refusal =
  (status: number, code: string, message: string): Reply =>
  (request, response) => {
    if (request.headers.accept?.startsWith('text/plain') === true) response.writeHead(status).end(`${message}\n`)
    else json(status, { error: { message, type: 'server_error', param: null, code }, src: 'lswap' })(request, response)
  }

/** Replies by the first key that `METHOD /path?query` starts with. */
export const routerDouble = async (replies: Readonly<Record<string, Reply>>): Promise<RouterDouble> => {
  const seen: Seen[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    seen.push({ method, url, authorization: request.headers.authorization })
    for (const check of waiting) check()
    const key = Object.keys(replies).find((start) => `${method} ${url}`.startsWith(start))
    const reply = key === undefined ? refusal(404, 'not_found', 'No such route.') : replies[key]
    reply?.(request, response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    asked: (part) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!seen.some(({ method, url }) => `${method} ${url}`.includes(part))) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
