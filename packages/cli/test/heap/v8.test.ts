import { spawnSync } from 'node:child_process'
import t from 'tap'
import { collectAll, collectYoung, NO_REDUCER, stopReducer } from '../../src/heap/v8.ts'
import { GARBAGE_MIB, oldGarbage } from './old-garbage.ts'

const V8 = new URL('../../src/heap/v8.js', import.meta.url).href

/** In a process of its own, with what it says. */
const script = (text: string) =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', text], { encoding: 'utf8' })

t.test('V8 knows the flag that puts its own collections out of reach', async (t) => {
  const told: string[] = []
  stopReducer((flag) => told.push(flag))
  t.same(told, [NO_REDUCER])
  t.match(script(`import { stopReducer } from '${V8}'; stopReducer(); console.log('goes on')`), {
    status: 0,
    stdout: 'goes on\n',
    stderr: '',
  })
})

t.test('a V8 that does not know it says so, and the process goes on', async (t) => {
  const unknown = script(
    `import { setFlagsFromString } from 'node:v8'
    import { stopReducer } from '${V8}'
    stopReducer((flag) => setFlagsFromString(flag.replace('delay', 'of-the-future')))
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
