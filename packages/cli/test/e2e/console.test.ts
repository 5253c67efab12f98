import t from 'tap'
import { chat } from './chat.ts'
import { served } from './served.ts'
import { until } from './until.ts'

t.setTimeout(240_000)

t.test('logToStdout and logTimeFormat decide what serve shows, and a reload changes that', async (t) => {
  const { url, edit, lswap, stdout, stderr } = await served(t, {
    models: { a: '' },
    yaml: 'logToStdout: upstream\nlogTimeFormat: kitchen\n',
  })
  await (await chat(url, 'a')).text()
  await until('the engine is shown', () => (/^a \| --- a: start 1 /m.test(stdout()) ? true : undefined))
  t.equal(stderr(), '', 'the log of the router is not')
  await edit((text) => text.replace('upstream', 'proxy'))
  t.equal((await lswap('reload')).code, 0)
  await until('the router is shown', () => (/INFO: reload: done/.test(stderr()) ? true : undefined))
  t.match(stderr(), /^\[\d{1,2}:\d\d[AP]M\] INFO: reload: done/m)
  const before = stdout()
  t.equal((await lswap('unload', 'a')).code, 0)
  t.equal((await lswap('load', 'a')).code, 0)
  t.match((await lswap('logs', 'a')).stdout, /start 2/)
  t.equal(stdout(), before, 'the engine is not any more')
})
