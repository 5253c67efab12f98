import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { chat } from '../../e2e/chat.ts'
import { served } from '../../e2e/served.ts'
import { noTmux, tmux } from './tmux.ts'

t.setTimeout(240_000)
const skip = await noTmux()

t.test('with a real router: a model is loaded, explained, and unloaded by keys', { skip }, async (t) => {
  const router = await served(t, { models: { tiny: '--load-ms 50', big: '--load-ms 50' } })
  const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
  await terminal.line('./top')
  await terminal.shows(/› tiny +stopped/)
  await terminal.keys('l')
  await terminal.shows(/› tiny +ready/)
  await terminal.shows(/tiny: ready on local after/)
  await terminal.keys('f')
  await terminal.shows(/Log of tiny[^]*model loaded/)
  await terminal.keys('Escape')
  await terminal.shows('› tiny')
  await terminal.keys('p')
  await terminal.shows(/› tiny +ready .*pinned/)
  await terminal.keys('u', 'y')
  const lines = await terminal.shows(/› tiny +stopped/)
  t.match(lines.at(-1), 'u unload')
})

t.test(
  'a router that stalls for more than ten seconds is said to be stale, keys are answered, and then it is live again',
  { skip },
  async (t) => {
    const router = await served(t, { models: { tiny: '', big: '' } })
    const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
    await terminal.line('./top')
    await terminal.shows('› tiny')
    router.signal('SIGSTOP')
    try {
      const stale = await terminal.shows('STALE')
      t.match(stale.join('\n'), /did not answer[^]*What is shown is of \d\d:\d\d:\d\d/)
      await terminal.keys('j')
      await terminal.shows('› big')
      // Counted from where it was noticed, seconds after the stop
      await terminal.shows(/^lswap .* STALE 1\d s /)
    } finally {
      router.signal('SIGCONT')
    }
    await terminal.shows(/^lswap .* live /)
    await router.lswap('load', 'tiny')
    await terminal.shows(/tiny +ready/)
  },
)

t.test(
  'from a fresh start at 80×24 two keys tell why a chosen request waits, and none is needed for the key that unloads',
  { skip },
  async (t) => {
    const slow = '--first-token-ms 600000'
    const router = await served(t, { models: { tiny: slow, big: slow } })
    const leaving = new AbortController()
    t.teardown(() => leaving.abort())
    const asked = (model: string): void => void chat(router.url, model, leaving).catch(() => {})
    // What its load takes is known, and how long a request of the other one runs is not
    await router.lswap('load', 'big')
    asked('tiny')
    const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
    await terminal.line('./top')
    await terminal.shows(/› tiny +ready +1\//)
    asked('big')
    await terminal.shows(/Queue 1: 1 normal/)
    asked('big')
    const start = await terminal.shows(/Queue 2: 2 normal/)
    t.match(start.join('\n'), /tiny is ready for .*; u unloads it\n/)
    t.match(start.at(-1), /^u unload /)
    await terminal.keys('Tab', 'j')
    const chosen = await terminal.shows(/\n› +2 +big/)
    t.match(chosen.join('\n'), /\nrequest \d+ waits: draining tiny; its turn comes in at most \d+m/)
    await terminal.keys('q')
    await terminal.shows('$')
    await terminal.line('./top')
    await terminal.shows(/› tiny +ready/)
    await terminal.keys('u')
    await terminal.shows(/unload tiny; 1 running request ends first\?\n+y unloads it/)
    await terminal.keys('y')
    await terminal.shows('tiny is unloaded when its running requests ended')
  },
)

/** Asks on a connection of its own, and waits for an answer that does not come. */
const crowd = async (t: Test, url: string, count: number): Promise<void> => {
  const { port } = new URL(url)
  const body = JSON.stringify({ model: 'big', messages: [{ role: 'user', content: 'hello' }] })
  const text = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const sockets: Socket[] = []
  t.teardown(() => sockets.forEach((socket) => socket.destroy()))
  // As many at once as a machine lets wait to be accepted
  for (let at = 0; at < count; at += 100) {
    const some = Array.from({ length: Math.min(100, count - at) }, () => connect(Number(port), '127.0.0.1'))
    sockets.push(...some)
    for (const socket of some) socket.on('error', () => {})
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    for (const socket of some) socket.write(text)
  }
}

t.test(
  'five thousand wait at a real router: all are counted, the first are told, and keys are answered',
  { skip },
  async (t) => {
    const router = await served(t, {
      models: { tiny: '--first-token-ms 600000', big: '' },
      perModel: 'queueLimit: 6000',
      yaml: 'maxQueued: 6000\n',
    })
    const leaving = new AbortController()
    t.teardown(() => leaving.abort())
    chat(router.url, 'tiny', leaving).catch(() => {})
    const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
    await terminal.line('./top')
    await terminal.shows(/› tiny +ready +1\//)
    await crowd(t, router.url, 5_000)
    await terminal.shows(/Queue 5000: 5000 normal/)
    await terminal.keys('Tab', 'G')
    await terminal.shows(/› +500 +big [^]*request \d+ waits: draining tiny/)
    await terminal.keys('g')
    const lines = await terminal.shows(/› +1 +big /)
    t.equal(lines.length, 24)
    t.notMatch(await terminal.raw(), '\u001B[3J')
  },
)

t.test('a router that is killed and started again is found again', { skip }, async (t) => {
  const first = await served(t, { models: { tiny: '' } })
  const terminal = await tmux(t, { argv: ['top', '--url', first.url] })
  await terminal.line('./top')
  await terminal.shows('› tiny')
  first.signal('SIGKILL')
  await terminal.shows(/STALE[^]*next try in/)
  await served(t, { models: { other: '' }, argv: ['--listen', first.url.replace('http://', '')] })
  const lines = await terminal.shows(/^lswap .* live [^]*› other/)
  t.notMatch(lines.join('\n'), 'STALE')
})
