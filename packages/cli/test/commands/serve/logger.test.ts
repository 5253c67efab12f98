import t from 'tap'
import { createLogger, type LogSettings } from '../../../src/commands/serve/logger.ts'
import { terminal } from '../../terminal.ts'

const redact = (text: string): string => text.replaceAll('swordfish', '***')
const settings: LogSettings = { logLevel: 'info', logTimeFormat: '', logTo: 'proxy' }

t.test(
  'logTimeFormat says how a person is told the time, in what is shown and in what is asked for later',
  async (t) => {
    const io = terminal()
    const { log, ownLog, configure, end } = await createLogger({
      io,
      format: 'pretty',
      color: 'never',
      config: settings,
      redact,
    })
    log.info({}, 'one')
    configure({ ...settings, logTimeFormat: 'rfc3339' })
    log.info({ a: 1 }, 'two')
    await end()
    t.match(
      io.err(),
      /^\[\d\d:\d\d:\d\d\] INFO: one\n\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)\] INFO: two \{"a":1\}\n$/,
    )
    const shape = await ownLog.shape()
    t.match(ownLog.ring.tail(9).map(shape)[0], /^\[\d{4}-\d\d-\d\dT/)
  },
)

t.test('lines for programs keep their time, whatever people want to see', async (t) => {
  const io = terminal()
  const config = { ...settings, logTimeFormat: 'kitchen' } as const
  const { log, end } = await createLogger({ io, format: 'json', color: 'never', config, redact })
  log.info({}, 'one')
  await end()
  t.match(JSON.parse(io.err()), { time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, msg: 'one' })
})

t.test('with logToStdout none or upstream nothing is shown, and all is kept', async (t) => {
  const io = terminal()
  const { log, ownLog, configure, end } = await createLogger({
    io,
    format: 'json',
    color: 'never',
    config: settings,
    redact,
  })
  for (const logTo of ['none', 'upstream', 'both'] as const) {
    configure({ ...settings, logTo })
    log.warn({}, logTo)
  }
  await end()
  t.equal(JSON.parse(io.err()).msg, 'both')
  t.same(
    ownLog.ring.tail(9).map((line) => JSON.parse(line).msg),
    ['none', 'upstream', 'both'],
  )
})

t.test('secrets are in no line, shown or kept, that may quote anybody', async (t) => {
  const io = terminal()
  const config = { ...settings, logLevel: 'debug' } as const
  const { log, ownLog, end } = await createLogger({ io, format: 'json', color: 'never', config, redact })
  log.debug({ err: new Error('swordfish') }, 'one')
  log.info({ reason: 'it said swordfish' }, 'two')
  log.info({ deep: { text: 'swordfish' } }, 'three')
  log.warn({}, 'four swordfish')
  log.error({ failure: { message: 'swordfish' } }, 'five')
  await end()
  t.equal(io.err().match(/\*\*\*/g)?.length, 6, 'an error twice: its message and its stack')
  t.notMatch(io.err() + ownLog.ring.tail(9).join('\n'), 'swordfish')
})
