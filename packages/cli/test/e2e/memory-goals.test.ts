import { readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { served } from './served.ts'

// Much goes through, on machines that have other work too
t.setTimeout(240_000)

const MEBIBYTE = 1_048_576
/** Less than a body may have at most. */
const PASSED = 240
/** The goal for a gibibyte. A router that held what it passes on would have 240 MiB beside the 80 that it begins with. */
const MOST_MB = 200
const IDLE = 2_000
/** The goal is 250 MB with ten thousand, of which some 90 are the router's own: a fifth of the rest, and what garbage may lie. */
const MOST_IDLE_MB = 32 + 28

/** Reads what it is sent and forgets it, then says as many mebibytes as it is asked for. */
const ENGINE = `import { createServer } from 'node:http'
const piece = Buffer.alloc(${MEBIBYTE}, 'x')
createServer((req, res) => {
  let read = 0
  req.on('data', (chunk) => (read += chunk.length))
  req.on('end', () => {
    let left = Number(req.headers['x-mebibytes'] ?? 0)
    res.writeHead(200, { 'Content-Type': 'application/octet-stream', 'X-Read': String(read) })
    const more = () => {
      while (left > 0) {
        left -= 1
        if (!res.write(piece)) return void res.once('drain', more)
      }
      res.end()
    }
    more()
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
`

/** Of a process, in MB: what it has in memory now (\`VmRSS\`), and the most that it ever had (\`VmHWM\`). */
const memoryMb = async (pid: number, what: 'VmRSS' | 'VmHWM'): Promise<number> =>
  (Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(await readFile(`/proc/${pid}/status`, 'latin1'))?.[1]) *
    1_024) /
  1e6

const post = (url: string, headers: Record<string, string | number>): ClientRequest =>
  request(`${url}/v1/chat/completions`, { method: 'POST', agent: new Agent(), headers })

/** The answer's head, and how many bytes came behind it. */
const answered = async (sent: ClientRequest): Promise<{ readonly head: IncomingMessage; readonly bytes: number }> => {
  const [head] = (await once(sent, 'response')) as [IncomingMessage]
  let bytes = 0
  head.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await once(head, 'end')
  return { head, bytes }
}

const idleConnection = async (port: number): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  return socket
}

t.test(
  '240 MiB up, 240 MiB down, and two thousand idle connections leave the router small',
  { skip: process.platform === 'linux' ? false : 'only Linux tells what a process has in memory' },
  async (t) => {
    const { url, pid } = await served(t, {
      models: { a: [process.execPath, 'engine.mjs', '${PORT}'] },
      perModel: 'proxy: "http://127.0.0.1:${PORT}"',
      files: { 'engine.mjs': ENGINE },
    })
    const small = post(url, {})
    small.end('{"model":"a"}')
    t.equal((await answered(small)).head.statusCode, 200)

    const before = await memoryMb(pid, 'VmRSS')
    const idle: Socket[] = []
    t.teardown(() => idle.forEach((socket) => socket.destroy()))
    while (idle.length < IDLE) {
      const more = Array.from({ length: 100 }, () => idleConnection(Number(new URL(url).port)))
      idle.push(...(await Promise.all(more)))
    }
    const grown = (await memoryMb(pid, 'VmRSS')) - before
    t.comment(`${before.toFixed(0)} MB before, ${grown.toFixed(0)} MB more with ${IDLE} idle connections`)
    t.ok(grown < MOST_IDLE_MB, `${grown.toFixed(0)} MB more`)
    for (const socket of idle) socket.destroy()

    const start = '{"model":"a","x":"'
    const end = '"}'
    const length = start.length + PASSED * MEBIBYTE + end.length
    const up = post(url, { 'Content-Length': length })
    const told = answered(up)
    up.write(start)
    const piece = Buffer.alloc(MEBIBYTE, 'x')
    for (let sent = 0; sent < PASSED; sent += 1) if (!up.write(piece)) await once(up, 'drain')
    up.end(end)
    t.equal((await told).head.headers['x-read'], String(length), 'all of it arrived')
    const most = await memoryMb(pid, 'VmHWM')
    t.comment(`at most ${most.toFixed(0)} MB with ${PASSED} MiB up`)
    t.ok(most < MOST_MB, `${most.toFixed(0)} MB`)

    const down = post(url, { 'X-Mebibytes': PASSED })
    down.end('{"model":"a"}')
    t.equal((await answered(down)).bytes, PASSED * MEBIBYTE, 'all of it came')
    const last = await memoryMb(pid, 'VmHWM')
    t.comment(`at most ${last.toFixed(0)} MB with ${PASSED} MiB down as well`)
    t.ok(last < MOST_MB, `${last.toFixed(0)} MB`)
  },
)
