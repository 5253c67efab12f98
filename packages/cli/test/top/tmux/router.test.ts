import t from 'tap'
import { served } from '../../e2e/served.ts'
import { noTmux, tmux } from './tmux.ts'

t.setTimeout(120_000)
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
  'a router that stalls for a while is said to be stale, keys are answered, and then it is live again',
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
    } finally {
      router.signal('SIGCONT')
    }
    await terminal.shows(/^lswap .* live /)
    await router.lswap('load', 'tiny')
    await terminal.shows(/tiny +ready/)
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
