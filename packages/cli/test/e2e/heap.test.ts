import { scratch } from '@lswap/core/test-support'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { V8_FLAGS } from '../../src/heap/v8.ts'
import { start } from './command.ts'

/** Writes what V8 is told to stderr, before anything of lswap is loaded. */
const LISTENER = `
import v8 from 'node:v8'
import { syncBuiltinESMExports } from 'node:module'
const { setFlagsFromString } = v8
v8.setFlagsFromString = (flag) => {
  process.stderr.write('V8 is told ' + flag + '\\n')
  setFlagsFromString(flag)
}
syncBuiltinESMExports()
`

const COMMANDS = {
  serve: ['serve', '--demo', '--listen', '127.0.0.1:0'],
  agent: ['agent', '--config', 'models.yaml', '--listen', '127.0.0.1:0'],
}

for (const [name, argv] of Object.entries(COMMANDS)) {
  t.test(`${name} tells V8 at the start what its heap is to be like`, async (t) => {
    const cwd = scratch(t)
    await writeFile(join(cwd, 'listener.mjs'), LISTENER)
    await writeFile(join(cwd, 'models.yaml'), 'models:\n  a:\n    cmd: none --port ${PORT}\n')
    const { child, ended } = start(argv, {
      cwd,
      env: { NODE_OPTIONS: `--import ${join(cwd, 'listener.mjs')}`, LSWAP_STATE_DIR: join(cwd, 'state') },
    })
    child.stdout?.once('data', () => child.kill('SIGTERM'))
    const { code, stderr } = await ended
    t.equal(code, 0)
    for (const flag of V8_FLAGS) t.match(stderr, `V8 is told ${flag}\n`)
  })
}
