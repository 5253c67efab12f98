import { ERRORS, type ErrorCode } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t, { type Test } from 'tap'
import { main } from '../../src/main.ts'
import { json, refusal, type Reply, routerDouble } from '../router-double.ts'
import { terminal } from '../terminal.ts'

const askWith = async (t: Test, reply: Reply): Promise<{ exitCode: number; out: string; err: string }> => {
  const router = await routerDouble({ 'GET /running': reply })
  t.teardown(() => router.close())
  const io = terminal()
  const exitCode = await main(['ps', '--json', '--url', router.url], io)
  return { exitCode, out: io.out(), err: io.err() }
}

t.test('an error of the router ends a command with the exit code of its table', async (t) => {
  for (const [code, { status, exitCode }] of Object.entries(ERRORS)) {
    const ended = await askWith(t, refusal(status, code, `About ${code}.`))
    t.equal(ended.exitCode, exitCode, code)
    t.match(ended.err, `error: About ${code}.\n`)
    t.match(JSON.parse(ended.out), { error: { code: code as ErrorCode, message: `About ${code}.` } })
  }
})

t.test('a code that this version does not know counts by its status', async (t) => {
  const cases = [
    [400, 2],
    [401, 4],
    [403, 4],
    [404, 1],
    [418, 2],
    [429, 6],
    [500, 1],
    [503, 6],
    [504, 7],
  ] as const
  for (const [status, exitCode] of cases) {
    t.equal((await askWith(t, refusal(status, 'from_the_future', 'New.'))).exitCode, exitCode, `${status}`)
  }
})

const html: Reply = (_request, response) => {
  response.writeHead(200).end('<html>')
}

t.test('a stranger on the port is not taken for lswap', async (t) => {
  for (const reply of [html, json(404, 'no'), json(502, { detail: 'nginx' })]) {
    const { exitCode, err } = await askWith(t, reply)
    t.equal(exitCode, 5)
    t.match(err, /is not lswap[\s\S]*hint: /)
  }
  t.equal((await askWith(t, json(401, {}))).exitCode, 4, 'a proxy that wants a password')
})

t.test('nothing there ends with 5, the address, and what to do', async (t) => {
  const router = await routerDouble({})
  await router.close()
  for (const argv of [['ps'], ['load', 'a'], ['unload', 'a', 'b'], ['unload', '--all']]) {
    const io = terminal({ env: { LSWAP_URL: router.url } })
    t.equal(await main(argv, io), 5, argv.join(' '))
    t.equal(io.err().split(`Cannot reach lswap at ${router.url}: nothing listens there.`).length, 2, 'said once')
    t.match(io.err(), /hint: start it with `lswap serve`/)
  }
})

t.test('an address or key file that makes no sense ends with 2', async (t) => {
  const folder = scratch(t, { empty: '\n', two: 'a\nb\n' })
  const cases = [
    ['--url', 'ftp://x'],
    ['--url', 'http://'],
    ['--url', 'http://user:hunter2@x'],
    ['--key-file', `${folder}/gone`],
    ['--key-file', folder],
    ['--key-file', `${folder}/empty`],
    ['--key-file', `${folder}/two`],
  ]
  for (const flags of cases) {
    const io = terminal()
    t.equal(await main(['ps', ...flags], io), 2, flags.join(' '))
    t.match(io.err(), /^error: /)
    t.notMatch(io.err(), /ENOENT|EISDIR/, 'in words')
    t.notMatch(io.err(), 'hunter2')
  }
})
