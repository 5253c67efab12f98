import { execFile } from 'node:child_process'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { batchedOutput } from '../../../src/commands/serve/batched-output.ts'

t.test('lines of one turn are written together, in their order, and each is told', async (t) => {
  const written: string[] = []
  const told: string[] = []
  const output = batchedOutput({
    write: (text, done) => {
      written.push(text)
      done?.(null)
      return true
    },
  })
  output.write('one\n', () => told.push('one'))
  output.write('two\n', () => told.push('two'))
  t.same(written, [])
  await nextTurn()
  t.same(written, ['one\ntwo\n'])
  t.same(told, ['one', 'two'])
  output.write('three\n')
  await nextTurn()
  t.same(written, ['one\ntwo\n', 'three\n'])
})

t.test('no line is lost when the process ends in the same turn, by an exit or by a bug', async (t) => {
  const module = fileURLToPath(new URL('../../../src/commands/serve/batched-output.js', import.meta.url))
  for (const ending of ['process.exit(0)', 'throw new Error("bug")']) {
    const code = `import(${JSON.stringify(module)}).then(({ batchedOutput }) => {
      batchedOutput(process.stdout).write('last line')
      process.nextTick(() => { ${ending} })
    })`
    const ran = await promisify(execFile)(process.execPath, ['-e', code]).catch((error: { stdout: string }) => error)
    t.equal(ran.stdout, 'last line', ending)
  }
})
