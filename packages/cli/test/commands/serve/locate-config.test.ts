import { execFileSync } from 'node:child_process'
import { chmod, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { type ConfigFlags, type ConfigText, locateConfig } from '../../../src/commands/serve/locate-config.ts'

const textsOf = ({ files }: ConfigText): readonly string[] => files.map(({ text }) => text)
const namesOf = ({ files }: ConfigText): readonly string[] => files.map(({ file }) => file)

/** What is said of a configuration that can not be had. */
const complaint = (flags: ConfigFlags, cwd: string, env: Record<string, string> = {}): Promise<string> =>
  locateConfig(flags, { cwd, env }).then(
    (found) => `found ${found.name}`,
    (error: Error) => error.message,
  )

t.test('the usual places are tried in order', async (t) => {
  const cwd = scratch(t, { 'config.yaml': 'second', home: { lswap: { 'config.yaml': 'third' } }, empty: {} })
  const env = { XDG_CONFIG_HOME: join(cwd, 'home') }
  t.same(textsOf(await locateConfig({}, { cwd, env })), ['second'])
  t.same(textsOf(await locateConfig({}, { cwd: join(cwd, 'empty'), env })), ['third'])
})

t.test('a relative XDG_CONFIG_HOME does not count: then it is ~/.config', async (t) => {
  const cwd = scratch(t, { '.config': { lswap: { 'config.yaml': 'home' } }, there: { lswap: { 'config.yaml': 'x' } } })
  t.same(textsOf(await locateConfig({}, { cwd, env: { HOME: cwd, XDG_CONFIG_HOME: 'there' } })), ['home'])
})

t.test('lswap.yaml comes before config.yaml, $LSWAP_CONFIG before both, --config before all', async (t) => {
  const cwd = scratch(t, { 'lswap.yaml': 'first', 'config.yaml': 'second', 'a.yaml': 'a', 'b.yaml': 'b' })
  const env = { LSWAP_CONFIG: 'a.yaml' }
  t.same(textsOf(await locateConfig({}, { cwd, env: {} })), ['first'])
  t.same(textsOf(await locateConfig({}, { cwd, env: { LSWAP_CONFIG: '' } })), ['first'])
  t.same(await locateConfig({}, { cwd, env }), { name: 'a.yaml', files: [{ file: 'a.yaml', text: 'a' }] })
  t.same(textsOf(await locateConfig({ config: 'b.yaml' }, { cwd, env })), ['b'])
})

t.test('a folder gives its YAML files by name, behind the file that --config names, each once', async (t) => {
  const folder = { '20.yml': 'two', '10.yaml': 'one', '.#10.yaml': 'x', '10.yaml~': 'x', 'a.json': 'x', 'sub.yaml': {} }
  const cwd = scratch(t, { conf: folder, 'main.yaml': 'main' })
  await symlink('10.yaml', join(cwd, 'conf', '30.yaml'))
  const env = { LSWAP_CONFIG: 'main.yaml' }
  const found = await locateConfig({ configDir: 'conf' }, { cwd, env })
  t.same(namesOf(found), ['conf/10.yaml', 'conf/20.yml', 'conf/30.yaml'])
  t.same(textsOf(found), ['one', 'two', 'one'])
  t.same(textsOf(await locateConfig({ config: 'main.yaml', configDir: 'conf' }, { cwd, env })), [
    'main',
    'one',
    'two',
    'one',
  ])
  t.same(textsOf(await locateConfig({ config: 'conf/20.yml', configDir: 'conf' }, { cwd, env })), ['two', 'one', 'one'])
  await symlink('nowhere', join(cwd, 'conf', '40.yaml'))
  t.match(await complaint({ configDir: 'conf' }, cwd), /conf\/40\.yaml: it does not exist/)
})

t.test('a folder without files, and a folder that is none', async (t) => {
  const cwd = scratch(t, { empty: {}, file: 'x' })
  t.match(await complaint({ configDir: 'empty' }, cwd), /empty \(--config-dir\): it has no \*\.yaml files/)
  t.match(await complaint({ configDir: 'gone' }, cwd), /gone \(--config-dir\): it does not exist/)
  t.match(
    await complaint({ configDir: 'file' }, cwd),
    /file \(--config-dir\): it is not a folder; --config reads a file/,
  )
})

t.test('nothing found names what was looked for and offers the demo', async (t) => {
  const cwd = scratch(t)
  const error: unknown = await locateConfig({}, { cwd, env: { HOME: cwd } }).catch((thrown: unknown) => thrown)
  t.match(error, {
    failure: {
      code: 'invalid_config',
      message: new RegExp(`${join(cwd, 'lswap.yaml')}.*${join(cwd, '.config/lswap/config.yaml')}`),
      hint: /serve --demo/,
    },
  })
})

t.test('a file that was named must be there', async (t) => {
  const cwd = scratch(t)
  t.match(await complaint({ config: 'gone.yaml' }, cwd), /gone\.yaml \(--config\): it does not exist/)
  t.match(await complaint({}, cwd, { LSWAP_CONFIG: 'gone.yaml' }), /gone\.yaml \(\$LSWAP_CONFIG\): it does not exist/)
})

t.test('what is there and no readable file is an error, not a reason to look further', async (t) => {
  const cwd = scratch(t, { folder: { 'lswap.yaml': {}, 'config.yaml': 'x' }, pipe: {}, large: {}, circle: {} })
  t.match(await complaint({}, join(cwd, 'folder')), /lswap\.yaml: it is a folder; --config-dir reads/)
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [join(cwd, 'pipe', 'lswap.yaml')])
    t.match(await complaint({}, join(cwd, 'pipe')), /lswap\.yaml: it is a pipe/)
    await symlink('lswap.yaml', join(cwd, 'circle', 'lswap.yaml'))
    t.match(await complaint({}, join(cwd, 'circle')), /lswap\.yaml: its links go in a circle/)
  }
  execFileSync(process.execPath, [
    '-e',
    `fs.ftruncateSync(fs.openSync(process.argv[1], 'w'), 2 ** 36)`,
    join(cwd, 'large', 'lswap.yaml'),
  ])
  t.match(await complaint({}, join(cwd, 'large')), /it has 68719476736 bytes; that is no configuration/)
})

const isRoot = process.getuid?.() === 0

t.test('a file that may not be read', { skip: isRoot && 'root may read every file' }, async (t) => {
  const cwd = scratch(t, { 'lswap.yaml': 'models: {}' })
  await chmod(join(cwd, 'lswap.yaml'), 0)
  t.match(await complaint({}, cwd), /lswap\.yaml: you may not read it \(EACCES\)/)
})
