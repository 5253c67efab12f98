import { chmod, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { defaultStateDir, makePrivateDir } from '../../src/state/state-dir.ts'

t.test('the state directory follows LSWAP_STATE_DIR, then XDG, then the home directory', async (t) => {
  t.equal(defaultStateDir({ LSWAP_STATE_DIR: '/a', XDG_STATE_HOME: '/b' }), '/a')
  t.equal(defaultStateDir({ LSWAP_STATE_DIR: '', XDG_STATE_HOME: '/b' }), '/b/lswap')
  t.equal(defaultStateDir({}), join(homedir(), '.local/state/lswap'))
})

t.test('a directory that is made is for its owner alone, one that exists keeps its mode', async (t) => {
  const dir = scratch(t, { shared: {} })
  await makePrivateDir(join(dir, 'new', 'state'))
  t.equal((await stat(join(dir, 'new', 'state'))).mode & 0o777, 0o700)
  await chmod(join(dir, 'shared'), 0o755)
  await makePrivateDir(join(dir, 'shared'))
  t.equal((await stat(join(dir, 'shared'))).mode & 0o777, 0o755)
})
