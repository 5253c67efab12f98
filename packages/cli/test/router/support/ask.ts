import { request, type IncomingHttpHeaders } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface Told {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly trailers: NodeJS.Dict<string>
}

/** One request on a connection of its own; a body makes it a POST to the chat route. */
export const ask = (port: number, { method, path, headers, body }: Asked = {}): Promise<Told> =>
  new Promise((resolve, reject) => {
    const req = request(
      {
        port,
        host: '127.0.0.1',
        agent: false,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        path: path ?? '/v1/chat/completions',
        headers: { ...headers },
      },
      (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('error', reject)
        res.on('end', () =>
          resolve({
            status: res.statusCode ?? 0,
            headers: res.headers,
            text: Buffer.concat(chunks).toString(),
            trailers: res.trailers,
          }),
        )
      },
    )
    req.on('error', reject)
    req.end(body)
  })

export const json = ({ text }: Pick<Told, 'text'>): unknown => JSON.parse(text)

/** The error object of an answer. */
export const errorOf = ({ text }: Told): { readonly code: string; readonly type: string; readonly message: string } =>
  (JSON.parse(text) as { error: { code: string; type: string; message: string } }).error

/** Waits until something holds that no event tells; fails after a while. */
export const until = async (what: string, holds: () => boolean, limitMs = 60_000): Promise<void> => {
  const end = performance.now() + limitMs
  while (!holds()) {
    if (performance.now() > end) throw new Error(`still not true: ${what}`)
    await pause(2)
  }
}
