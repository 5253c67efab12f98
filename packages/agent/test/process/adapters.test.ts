import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { adaptersToSwitchOff, switchOffAdapters } from '../../src/process/adapters.ts'
import type { EngineTarget } from '../../src/process/target.ts'

interface Answer {
  readonly status?: number
  readonly body: string
}

/** An engine with this list of adapters, and what it was told. */
const engine = async (t: Test, answer: Answer): Promise<{ readonly target: EngineTarget; readonly told: string[] }> => {
  const told: string[] = []
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request
    told.push(`${method} ${url} ${headers.authorization} ${await text(request)}`)
    response.writeHead(answer.status ?? 200).end(method === 'GET' ? answer.body : '{"success":true}')
  }
  const server = createServer((request, response) => void reply(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { target: { host: '127.0.0.1', port, basePath: '/x', extraHeaders: ['Authorization', 'Bearer k'] }, told }
}

const never = new AbortController().signal

t.test('those that lswap loads are switched off, once each', async (t) => {
  const own = { id: 2, scale: 0.5, startsOff: true } as const
  const adapters = [
    { alias: 'a', id: 0, scale: 1 },
    { alias: 'b', ...own },
    { alias: 'c', ...own },
    { alias: 'd', engineName: 'e' },
  ]
  t.same(adaptersToSwitchOff({ adapters }), [2])
  t.same(adaptersToSwitchOff({}), [])
})

t.test('their scales become 0, and those of others stay', async (t) => {
  const { target, told } = await engine(t, {
    body: '[{"id":0,"path":"a","scale":0.7},{"id":1,"path":"b","scale":1.0}]',
  })
  t.equal(await switchOffAdapters(target, [1], never), undefined)
  t.same(told, [
    'GET /x/lora-adapters Bearer k ',
    'POST /x/lora-adapters Bearer k [{"id":0,"scale":0.7},{"id":1,"scale":0}]',
  ])
})

t.test('what an engine can not do is said', async (t) => {
  const cases: readonly (readonly [Answer, RegExp])[] = [
    [{ status: 404, body: '' }, /^GET \/lora-adapters was answered with 404$/],
    [{ body: '[]' }, /lists none/],
    [{ body: '{}' }, /lists none/],
    [{ body: 'no' }, /JSON/],
  ]
  for (const [answer, expected] of cases) {
    const { target, told } = await engine(t, answer)
    t.match(await switchOffAdapters(target, [0], never), expected)
    t.equal(told.length, 1)
  }
  t.match(await switchOffAdapters({ host: '127.0.0.1', port: 1, basePath: '' }, [0], never), /ECONNREFUSED/)
  t.match(await switchOffAdapters({ host: '127.0.0.1', port: 1, basePath: '' }, [0], AbortSignal.abort()), /abort/)
})
