import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { served } from './served.ts'
import { until } from './until.ts'

// Much goes through, on machines that have other work too
t.setTimeout(240_000)

const MEGABYTE = 1_048_576
/** A quarter of a gigabyte comes in. Measured: 116 on Node 20, 171 on Node 24, which lets more garbage lie. */
const MOST_MB = 210

/** The most that a process ever had in memory, in MB; only Linux tells. */
const peakMb = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'latin1')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024
}

const valueOf = async (url: string, name: string): Promise<number> => {
  const page = await (await fetch(`${url}/metrics`)).text()
  return Number(
    page
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  )
}

const waiting = async (url: string): Promise<number> =>
  ((await (await fetch(`${url}/api/queue`)).json()) as { total: number }).total

const head = (path: string, fields: string): string => `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n\r\n`

t.test(
  'a quarter of a gigabyte of hostile bodies and connections leaves the router small, and answering',
  { skip: process.platform === 'linux' ? false : 'only Linux tells what a process has had in memory' },
  async (t) => {
    // Nothing is ever granted: all that can wait does
    const { url, pid } = await served(t, { models: { a: '--load-ms 600000' } })
    const port = Number(new URL(url).port)
    await fetch(`${url}/metrics`)
    const before = await peakMb(pid)
    const sockets: Socket[] = []
    t.teardown(() => sockets.forEach((socket) => socket.destroy()))
    const open = (start: string, ...more: readonly Buffer[]): void => {
      const socket = connect({ port, host: '127.0.0.1' })
      sockets.push(socket)
      socket.on('error', () => {})
      socket.pause()
      socket.write(start)
      for (const piece of more) socket.write(piece)
    }
    const text = Buffer.alloc(MEGABYTE, 'y')
    for (let count = 0; count < 20; count++) {
      const length = 10 * MEGABYTE + '{"x":"","model":"a"}'.length
      const ten = Array.from({ length: 10 }, () => text)
      // Each waits in a file
      const chat = head('/v1/chat/completions', `Content-Length: ${length}`)
      open(`${chat}{"x":"`, ...ten, Buffer.from('","model":"a"}'))
      // The model never comes
      const form = head(
        '/v1/audio/transcriptions',
        'Content-Type: multipart/form-data; boundary=B\r\nContent-Length: 99999999',
      )
      open(form, Buffer.from('--B\r\nX: '), ...ten.slice(0, 3))
      open(`${head('/v1/chat/completions', 'Content-Length: 9999999')}{"x":${'['.repeat(100_000)}`)
      open(head('/v1/chat/completions', 'Transfer-Encoding: chunked') + `1\r\n \r\n`.repeat(4_000))
      open('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200))
      open(`GET / HTTP/1.1\r\nX-A: ${'a'.repeat(30_000)}`)
    }
    await until('the good ones wait', async () => ((await waiting(url)) === 20 ? true : undefined))
    t.ok((await valueOf(url, 'lswap_body_bytes{where="file"}')) > 20 * 8 * MEGABYTE, 'in files')
    t.equal((await fetch(`${url}/health`)).status, 200)
    const grown = (await peakMb(pid)) - before
    t.comment(`${before.toFixed(0)} MB before, at most ${grown.toFixed(0)} MB more`)
    t.ok(grown < MOST_MB, `${grown.toFixed(0)} MB more`)

    for (const socket of sockets) socket.destroy()
    await until('nothing is held', async () => {
      const held = await Promise.all(
        ['lswap_body_bytes{where="file"}', 'lswap_body_bytes{where="memory"}'].map((name) => valueOf(url, name)),
      )
      return held.every((bytes) => bytes === 0) ? true : undefined
    })
    t.equal(await valueOf(url, 'lswap_open_requests'), 1, 'only the one that asks')
  },
)
