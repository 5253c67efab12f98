import t, { type Test } from 'tap'
import { chat } from '../../e2e/chat.ts'
import { fleet, type FleetRig } from '../../e2e/fleet.ts'
import { run } from '../../e2e/command.ts'
import { noTmux, tmux, type Tmux } from './tmux.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)
const skip = await noTmux()

const topOf = async (t: Test, rig: FleetRig): Promise<{ terminal: Tmux; argv: readonly string[] }> => {
  const hosts = [...rig.hosts.values()]
  const argv = [
    'top',
    '--agent',
    ...hosts.map(({ port }) => `127.0.0.1:${port}`),
    '--token-file',
    ...hosts.map(({ tokenFile }) => tokenFile),
  ]
  return { terminal: await tmux(t, { argv, columns: 100, rows: 30 }), argv }
}

t.test('agents without a router: load, swap, beside, unload, log, a host that goes and comes', { skip }, async (t) => {
  const rig = await fleet(t, { left: { tiny: '--load-ms 50', big: '--load-ms 50' }, right: { tiny: '' } })
  const [left, right] = [rig.host('left').port, rig.host('right').port]
  const { terminal, argv } = await topOf(t, rig)
  await terminal.line('./top')
  await terminal.shows(new RegExp(`^lswap +agents .* live .*[^]*Hosts 2 [^]*› tiny +127.0.0.1:${left} +stopped`))
  await terminal.keys('l')
  await terminal.shows(/› tiny .* ready/)
  await terminal.keys('f')
  await terminal.shows(/Log of tiny on [^]*model loaded/)
  await terminal.keys('Escape', 'j', 'l')
  await terminal.shows(/load big on .*, where tiny runs\?[^]*y in place of it, b beside/)
  await terminal.keys('y')
  await terminal.shows(/tiny .* stopped [^]*› big .* ready/)
  t.same(await rig.host('left').journal.starts(), ['tiny', 'big'])
  await terminal.keys('u', 'y')
  await terminal.shows(/› big .* stopped[^]*big: stopped on/)
  const once = await run([...argv, '--once'])
  t.equal(once.code, 0)
  t.match(once.stdout, /^lswap agents 127[^]*Hosts 2[^]*Models 2, 0 ready\nMODEL +HOST +STATE/)
  const json = await run([...argv, '--json', '--once'])
  t.match(JSON.parse(json.stdout), {
    stale: false,
    models: [{ model: 'tiny', placements: [{}, {}] }, { model: 'big' }],
  })
  rig.host('right').agent().signal('SIGKILL')
  await terminal.shows(new RegExp(`Hosts 2, 1 DOWN[^]*tiny +127.0.0.1:${right} +unknown`))
  await rig.host('right').restart()
  await terminal.shows(new RegExp(`answers again`))
  await terminal.keys('q')
  await terminal.shows(/\$$/)
})

t.test(
  'a router that uses the host keeps it: looking changes nothing, a change asks, and what is forced the router learns',
  { skip },
  async (t) => {
    const rig = await fleet(t, { box: { tiny: '' } })
    const router = await rig.router()
    t.equal((await chat(router.url, 'tiny')).status, 200)
    const { terminal } = await topOf(t, rig)
    await terminal.line('./top')
    await terminal.shows(/1 used by a router[^]*› tiny .* ready/)
    await terminal.keys('u')
    await terminal.shows(/a router uses this host and may undo it; unload tiny/)
    await terminal.keys('n')
    await terminal.shows('nothing was done')
    await terminal.keys('u', 'y')
    await terminal.shows(/› tiny .* stopped/)
    // Not sent to what is gone
    t.equal((await chat(router.url, 'tiny')).status, 200)
    await terminal.shows(/› tiny .* ready/)
    t.same(await rig.host('box').journal.starts(), ['tiny', 'tiny'])
    t.notMatch(router.stderr(), /may not use a host any more|fenced/)
    await terminal.keys('q')
  },
)

const top = (...argv: readonly string[]) => run(['top', '--once', ...argv])

t.test('a wrong token, an agent that is not there and a mix-up end it with a sentence', { skip }, async (t) => {
  const rig = await fleet(t, { one: { tiny: '' }, two: { tiny: '' } })
  const [one, two] = [rig.host('one'), rig.host('two')]
  const wrong = await top('--agent', `127.0.0.1:${one.port}`, '--token-file', two.tokenFile)
  t.equal(wrong.code, 4)
  t.match(wrong.stderr, /token/)
  const missing = await top('--agent', '127.0.0.1:1', '--token-file', one.tokenFile)
  t.equal(missing.code, 5)
  t.match(missing.stderr, /refuses connections/)
  const mixed = await top('--agent', `127.0.0.1:${one.port}`, '--token-file', one.tokenFile, two.tokenFile)
  t.equal(mixed.code, 2)
  const alone = await top('--token-file', one.tokenFile)
  t.equal(alone.code, 2)
  t.match(alone.stderr, /--agent/)
  const half = await top('--agent', `127.0.0.1:${one.port}`, '127.0.0.1:1', '--token-file', one.tokenFile)
  t.equal(half.code, 0)
  t.match(half.stdout, /Hosts 2, 1 DOWN/)
})
