import t from 'tap'
import { createLogSink, type LogSink } from '../../../src/commands/serve/log-sink.ts'

interface Rig {
  readonly sink: LogSink
  readonly lines: string[]
  readonly losses: number[]
  /** The reader reads what waits. */
  readonly read: () => void
}

const rig = (maxWaitingChars: number): Rig => {
  const lines: string[] = []
  const losses: number[] = []
  let waiting: (() => void)[] = []
  const sink = createLogSink({
    output: {
      write: (line, done) => {
        lines.push(line)
        waiting.push(() => done?.(null))
        return true
      },
    },
    onLoss: (count) => losses.push(count),
    maxWaitingChars,
    endLimitMs: 20,
  })
  return {
    sink,
    lines,
    losses,
    read: () => {
      const told = waiting
      waiting = []
      for (const tell of told) tell()
    },
  }
}

t.test('beyond the bound lines are lost, and told once somebody reads again', (t) => {
  const { sink, lines, losses, read } = rig(10)
  for (const line of ['1234\n', '6789\n', 'lost\n', 'lost\n']) sink.write(line)
  t.same(lines, ['1234\n', '6789\n'])
  t.same(losses, [])
  read()
  t.same(losses, [2])
  sink.write('next\n')
  t.equal(lines.at(-1), 'next\n')
  read()
  t.same(losses, [2])
  t.end()
})

t.test('an end waits for what is still to be written', async (t) => {
  const { sink, read } = rig(100)
  await sink.end()
  sink.write('line\n')
  const order: string[] = []
  const end = sink.end().then(() => order.push('ended'))
  await Promise.resolve()
  order.push('read')
  read()
  await end
  t.same(order, ['read', 'ended'])
})

t.test('an end does not wait for ever for a reader that does not read', async (t) => {
  const { sink } = rig(100)
  sink.write('line\n')
  await t.resolves(sink.end())
})
