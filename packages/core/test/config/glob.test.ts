import t from 'tap'
import { matchesGlob } from '../../src/config/glob.ts'

t.test('a star is any text, slashes and nothing too; a question mark is one character', async (t) => {
  const yes = [
    ['*', ''],
    ['*', 'org/m:q4'],
    ['qwen*', 'qwen'],
    ['qwen*', 'qwen/7b'],
    ['*-q4', 'a-q4-q4'],
    ['*a*b', 'xaxbxab'],
    ['a?c', 'a模c'],
    ['a.c', 'a.c'],
    ['a**', 'a'],
  ] as const
  for (const [glob, name] of yes) t.ok(matchesGlob(glob, name), `${glob} ${name}`)
  const no = [
    ['', 'a'],
    ['qwen', 'qwen2'],
    ['qwen?', 'qwen'],
    ['a.c', 'abc'],
    ['*-q4', 'a-q4x'],
    ['[ab]', 'a'],
    ['A', 'a'],
  ] as const
  for (const [glob, name] of no) t.notOk(matchesGlob(glob, name), `${glob} ${name}`)
})

t.test('a pattern that backtracks is done at once', async (t) => {
  t.notOk(matchesGlob(`${'a*'.repeat(50)}b`, 'a'.repeat(5_000)))
})
