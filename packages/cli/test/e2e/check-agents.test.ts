import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { run } from './command.ts'
import { fleet } from './fleet.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

t.test('check --agents says of each agent what is wrong, and which models no host has', async (t) => {
  const rig = await fleet(t, { good: { a: '' } })
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lswap-check-')))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'wrong'), 'not-the-token')
  // Of another version: it answers everybody, and says so
  const other = createServer((_req, res) => res.end(JSON.stringify({ ...ABOUT, protocol: 99 })))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const { port: goodPort, tokenFile } = rig.host('good')
  const agents = [
    `{ id: good, url: "http://127.0.0.1:${goodPort}", tokenFile: "${tokenFile}" }`,
    `{ id: wrong, url: "http://127.0.0.1:${goodPort}", tokenFile: wrong }`,
    `{ id: gone, url: "http://127.0.0.1:1", tokenFile: wrong }`,
    `{ id: plain, url: "https://127.0.0.1:${goodPort}", tokenFile: wrong }`,
    `{ id: other, url: "http://127.0.0.1:${port}", tokenFile: wrong }`,
  ]
  const models = 'models: { a: {}, b: { hosts: [good] }, c: { hosts: [gone] } }\n'
  const file = join(folder, 'lswap.yaml')
  await writeFile(file, `embeddedAgent: false\nagents:\n${agents.map((agent) => `  - ${agent}\n`).join('')}${models}`)
  const said = await run(['check', '--agents', file], { cwd: folder })
  t.equal(said.code, 1)
  t.match(said.stdout, /agent good .*: ok: lswap \S+, 1 model$/m)
  t.match(said.stdout, /agent wrong .*: error: .*token.*tokenFile/m)
  t.match(said.stdout, /agent gone .*: error: .*does not run.*lswap agent/m)
  t.match(said.stdout, /agent plain .*: error: .*TLS/m)
  t.match(said.stdout, /agent other .*: error: it speaks version 99 of the protocol/m)
  t.match(said.stdout, /models: error: no host has b$/m, 'c may be on the one that is gone')

  await writeFile(file, `embeddedAgent: false\nagents: [${agents[0]}]\nmodels: { a: {} }\n`)
  const good = await run(['check', '--agents', '--json', file], { cwd: folder })
  t.equal(good.code, 0, good.stderr)
  t.match(JSON.parse(good.stdout), { ok: true, agents: [{ host: 'good', verdict: 'ok' }], unplaced: [] })
})

const ABOUT = { id: 'other', version: '9.9.9', protocol: 1, start: 'x', term: 0, models: [] }
