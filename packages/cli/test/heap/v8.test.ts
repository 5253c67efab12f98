import { spawnSync } from 'node:child_process'
import t from 'tap'
import { collectAll, collectYoung, tuneV8, V8_FLAGS } from '../../src/heap/v8.ts'
import { GARBAGE_MIB, oldGarbage } from './old-garbage.ts'

const V8 = new URL('../../src/heap/v8.js', import.meta.url).href

/** In a process of its own, with what it says. */
const script = (text: string) =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', text], { encoding: 'utf8' })

t.test('V8 knows what it is told at the start', async (t) => {
  const told: string[] = []
  tuneV8((flag) => told.push(flag))
  t.same(told, V8_FLAGS)
  t.match(script(`import { tuneV8 } from '${V8}'; tuneV8(); console.log('goes on')`), {
    status: 0,
    stdout: 'goes on\n',
    stderr: '',
  })
})

t.test('a V8 that does not know a flag says so, and the process goes on', async (t) => {
  const unknown = script(
    `import { setFlagsFromString } from 'node:v8'
    import { tuneV8 } from '${V8}'
    tuneV8((flag) => setFlagsFromString(flag.replace('delay', 'of-the-future')))
    console.log('goes on')`,
  )
  t.match(unknown, { status: 0, stdout: 'goes on\n', stderr: /unrecognized flag/ })
})

t.test('what is old is collected with all, and not with the young', async (t) => {
  const { left } = oldGarbage()
  collectYoung()
  t.ok(left() > GARBAGE_MIB, `${left()} MiB`)
  await collectAll()
  t.ok(left() < GARBAGE_MIB / 2, `${left()} MiB`)
})

t.test('no other context is left with a gc of its own', async (t) => {
  collectYoung()
  t.match(
    script(`import { collectYoung } from '${V8}'
    import { runInNewContext } from 'node:vm'
    collectYoung()
    console.log(runInNewContext('typeof gc'))`).stdout,
    /^undefined$/m,
  )
})
