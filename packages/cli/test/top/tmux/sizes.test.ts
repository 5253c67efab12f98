import t from 'tap'
import { widthOf } from '../../../src/print/width.ts'
import { modelIn } from '../../progress/feed-state.ts'
import { modelsNamed, queueOf, stateOf, waitingIn } from '../support/states.ts'
import { feedDouble } from './feed-double.ts'
import { noTmux, tmux } from './tmux.ts'

t.setTimeout(240_000)
const skip = await noTmux()

/** Nothing in it grows older within a test. */
const state = stateOf({
  models: [modelIn('通义千问-72b', 'stopped'), modelIn('🚀 rocket', 'stuck'), ...modelsNamed(500)],
  ...queueOf(
    Array.from({ length: 500 }, (_, at) => waitingIn(at + 1, { model: '通义千问-72b' })),
    5_000,
  ),
})

t.test('it works on screens of all sizes', { skip }, async (t) => {
  const router = await feedDouble(t, state)
  const terminal = await tmux(t, { columns: 40, rows: 12, argv: ['top', '--url', router.url] })
  await terminal.line('./top')
  await terminal.shows('q quit')
  for (const [columns, rows] of [
    [40, 12],
    [80, 24],
    [200, 60],
    [20, 5],
    [80, 24],
  ] as const) {
    await terminal.resize([columns, rows])
    const lines = await terminal.screen(
      `it fills ${columns}×${rows}`,
      (shown) =>
        shown.length === rows && shown[0]?.startsWith('lswap') === true && /q quit|\? help/.test(shown.at(-1) ?? ''),
    )
    t.ok(lines.every((line) => widthOf(line) <= columns))
  }
  t.match((await terminal.capture()).join('\n'), /Hosts 1[^]*Models 502, 0 ready[^]*Queue 5000[^]*Events/)
  t.notMatch(await terminal.raw(), '\u001B[3J')
})

t.test('names of any script leave the columns behind them in line', { skip }, async (t) => {
  const router = await feedDouble(t, state)
  const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
  await terminal.line('./top')
  const lines = await terminal.shows('rocket')
  const column = (word: string, name: string): number => {
    const line = lines.find((one) => one.includes(name)) ?? ''
    return widthOf(line.slice(0, line.indexOf(word)))
  }
  t.equal(column('stopped', '通义千问-72b'), column('STATE', 'MODEL'))
  t.equal(column('stuck', '🚀 rocket'), column('STATE', 'MODEL'))
  t.equal(column('stopped', 'model-001'), column('STATE', 'MODEL'))
})

t.test('500 models scroll, and so does a queue of 5,000', { skip }, async (t) => {
  const router = await feedDouble(t, state)
  const terminal = await tmux(t, { argv: ['top', '--url', router.url] })
  await terminal.line('./top')
  await terminal.shows('› 通义千问-72b')
  await terminal.keys('End')
  await terminal.shows('› model-500')
  await terminal.keys('k', 'k')
  await terminal.shows('› model-498')
  await terminal.keys('Home', 'Tab')
  await terminal.shows('request 1 waits: waits for reason 1')
  await terminal.keys('G')
  await terminal.shows('request 500 waits: waits for reason 500')
  t.match((await terminal.capture()).join('\n'), /Queue 5000: 5000 normal/)
})

t.test('after a hundred sizes the screen is that of a fresh start', { skip }, async (t) => {
  const router = await feedDouble(t, state)
  const [resized, fresh] = await Promise.all([1, 2].map(() => tmux(t, { argv: ['top', '--url', router.url] })))
  if (resized === undefined || fresh === undefined) throw new Error('no terminal')
  await resized.line('./top')
  await fresh.line('./top')
  const expected = await fresh.shows('q quit')
  await resized.shows('q quit')
  let seed = 7
  const random = (most: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  for (let round = 0; round < 20; round += 1) {
    const sizes = Array.from({ length: 5 }, () => [12 + random(150), 3 + random(50)] as const)
    await resized.resize(...sizes)
  }
  await resized.resize([80, 24])
  const lines = await resized.screen('it is as before', (shown) => shown.join('\n') === expected.join('\n'))
  t.same(lines, expected)
  t.equal(await resized.variable('history_size'), '0', 'nothing was scrolled away')
  t.notMatch(await resized.raw(), '\u001B[3J')
})
