// The dashboard with bugs planted: l breaks the layout, t a timer, k the component that paints.
import { processIo } from '../../../src/io.ts'
import { carryOut } from '../../../src/commands/carry-out.ts'
import { systemClock } from '../../../src/router/clock.ts'
import { screen } from '../../../src/top/screen/screen.ts'
import { startUi } from '../../../src/top/state/ui.ts'
import { openSession } from '../../../src/top/terminal/session.ts'
import { modelIn } from '../../progress/feed-state.ts'
import { seenOf, stateOf } from '../support/states.ts'

const io = processIo()
let fault = ''
const broken = {
  get spans(): never {
    throw new Error('planted in a component')
  },
}
const task = async () => {
  const session = openSession({
    io,
    stdin: process.stdin,
    stdout: process.stdout,
    clock: systemClock(),
    hasColor: true,
    start: startUi({ kind: 'router', url: 'http://router', isReadonly: false }),
    screen: (ui, size, now) => {
      if (fault === 'l') throw new Error('planted in the layout')
      const frame = screen(ui, size, now)
      return fault === 'k' ? { ...frame, rows: [Object.assign(Object.create(broken), { isOld: true })] } : frame
    },
    perform: () => {},
  })
  process.stdin.on('data', (bytes: Buffer) => {
    fault = bytes.toString()
    if (fault === 't')
      setTimeout(() => {
        throw new Error('planted in a timer')
      }, 1)
  })
  session.tell({ type: 'seen', seen: seenOf(stateOf({ models: [modelIn('tiny', 'ready')] })), at: 0 })
  return { data: {}, text: '', exitCode: await session.ended }
}
process.exitCode = await carryOut({ output: { json: false, color: 'auto' }, interruptible: false, task }, io)
