import { request } from 'node:http'
import { headersFor } from '../process/target.ts'
import type { EngineTarget } from '../process/target.ts'

const MAX_BODY_BYTES = 4_194_304

/** What an engine answered: its text; `refused`: it has no such page; `busy`: it did not answer in time, or at all. */
export type PageAnswer =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'refused' }
  | { readonly type: 'busy' }

/** Asks for one page of an engine, on a connection of its own. Never rejects. */
export const fetchPage = (target: EngineTarget, path: string, limitMs: number): Promise<PageAnswer> =>
  new Promise((resolve) => {
    const { host, port, basePath } = target
    const asked = request({ host, port, path: basePath + path, headers: headersFor(target), agent: false })
    const settle = (answer: PageAnswer): void => {
      clearTimeout(timer)
      resolve(answer)
      asked.destroy()
    }
    const timer = setTimeout(() => settle({ type: 'busy' }), limitMs)
    asked.on('error', () => settle({ type: 'busy' }))
    asked.on('response', (response) => {
      if (response.statusCode !== 200) return settle({ type: 'refused' })
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > MAX_BODY_BYTES) settle({ type: 'refused' })
        else chunks.push(chunk)
      })
      response.on('end', () => settle({ type: 'text', text: Buffer.concat(chunks).toString('utf8') }))
      response.on('error', () => settle({ type: 'busy' }))
    })
    asked.end()
  })
