import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { atEnd } from '@lswap/core/test-support'
import type { Test } from 'tap'

/** What was done to the calls that went through. */
export interface Meddled {
  readonly port: number
  readonly done: { twice: number; cut: number; swapped: number; repeated: number }
}

const SLOW_MS = 25
const ORDERS = /^\/v1\/(?:swap|stop|abort|claim)$/

/**
 * A bad network between a router and an agent: orders come late, twice and without their answers, events late, twice and
 * in the wrong order. What goes to engines passes as it is: nothing of that may be repeated.
 */
export const meddler = async (t: Test, to: number, random: () => number): Promise<Meddled> => {
  const done = { twice: 0, cut: 0, swapped: 0, repeated: 0 }
  const happens = (share: number): boolean => random() < share
  const slowly = (): Promise<void> => pause(random() * SLOW_MS)

  const send = async ({ method, url, headers }: IncomingMessage, body: string): Promise<IncomingMessage> => {
    const asked = request({ host: '127.0.0.1', port: to, method, path: url, headers })
    asked.end(body)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return answer
  }

  const again = async (req: IncomingMessage, body: string): Promise<void> => {
    done.twice += 1
    await slowly()
    await text(await send(req, body))
  }

  const events = async (answer: IncomingMessage, res: ServerResponse): Promise<void> => {
    let rest = ''
    let held: string | undefined
    for await (const part of answer as AsyncIterable<Buffer>) {
      const lines = (rest + part.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (held === undefined && happens(0.2)) {
          held = line
          continue
        }
        if (happens(0.3)) await slowly()
        res.write(`${line}\n`)
        if (held !== undefined) {
          done.swapped += 1
          res.write(`${held}\n`)
          held = undefined
        } else if (happens(0.3)) {
          done.repeated += 1
          res.write(`${line}\n`)
        }
      }
    }
    res.end()
  }

  const order = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await text(req)
    await slowly()
    if (happens(0.3)) again(req, body).catch(() => {})
    const answer = await send(req, body)
    if (happens(0.15)) {
      done.cut += 1
      answer.resume()
      return void res.destroy()
    }
    res.writeHead(answer.statusCode ?? 500, answer.headers)
    res.flushHeaders()
    for await (const part of answer as AsyncIterable<Buffer>) {
      if (happens(0.3)) await slowly()
      res.write(part)
    }
    res.end()
    return undefined
  }

  const server = createServer((req, res) => {
    const path = (req.url ?? '').split('?', 1)[0] ?? ''
    const fail = (): void => void res.destroy()
    if (ORDERS.test(path)) return void order(req, res).catch(fail)
    const asked = request({ host: '127.0.0.1', port: to, method: req.method, path: req.url, headers: req.headers })
    req.pipe(asked)
    asked.on('error', fail)
    asked.on('response', (answer) => {
      answer.on('error', fail)
      res.writeHead(answer.statusCode ?? 500, answer.headers)
      res.flushHeaders()
      if (path === '/v1/events') events(answer, res).catch(fail)
      else answer.pipe(res)
    })
    res.once('close', () => void asked.destroy())
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, done }
}
