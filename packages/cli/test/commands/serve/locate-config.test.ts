import { join } from 'node:path'
import t from 'tap'
import { locateConfig } from '../../../src/commands/serve/locate-config.ts'

t.test('the usual places are tried in order', async (t) => {
  const cwd = t.testdir({ 'config.yaml': 'second', home: { lswap: { 'config.yaml': 'third' } }, empty: {} })
  const env = { XDG_CONFIG_HOME: join(cwd, 'home') }
  t.equal((await locateConfig(undefined, { cwd, env })).text, 'second')
  t.equal((await locateConfig(undefined, { cwd: join(cwd, 'empty'), env })).text, 'third')
})

t.test('lswap.yaml comes before config.yaml, $LSWAP_CONFIG before both, --config before all', async (t) => {
  const cwd = t.testdir({ 'lswap.yaml': 'first', 'config.yaml': 'second', 'a.yaml': 'a', 'b.yaml': 'b' })
  t.equal((await locateConfig(undefined, { cwd, env: {} })).text, 'first')
  t.same(await locateConfig(undefined, { cwd, env: { LSWAP_CONFIG: 'a.yaml' } }), { file: 'a.yaml', text: 'a' })
  t.same(await locateConfig('b.yaml', { cwd, env: { LSWAP_CONFIG: 'a.yaml' } }), { file: 'b.yaml', text: 'b' })
})

t.test('nothing found names what was looked for and offers the demo', async (t) => {
  const cwd = t.testdir({})
  const error: unknown = await locateConfig(undefined, { cwd, env: { HOME: cwd } }).catch((thrown: unknown) => thrown)
  t.match(error, {
    failure: {
      code: 'invalid_config',
      message: new RegExp(`${join(cwd, 'lswap.yaml')}.*${join(cwd, '.config/lswap/config.yaml')}`),
      hint: /serve --demo/,
    },
  })
})

t.test('a file that was named must be there, and one that is there must be readable', async (t) => {
  const cwd = t.testdir({ 'lswap.yaml': {} })
  await t.rejects(locateConfig('gone.yaml', { cwd, env: {} }), {
    message: /gone\.yaml \(--config\): it does not exist/,
  })
  const byEnv = locateConfig(undefined, { cwd, env: { LSWAP_CONFIG: 'gone.yaml' } })
  await t.rejects(byEnv, { message: /gone\.yaml \(\$LSWAP_CONFIG\)/ })
  await t.rejects(locateConfig(undefined, { cwd, env: {} }), { message: /lswap\.yaml: EISDIR/ })
})
