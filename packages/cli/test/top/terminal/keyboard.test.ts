import { PassThrough } from 'node:stream'
import t from 'tap'
import { openKeyboard } from '../../../src/top/terminal/keyboard.ts'
import type { Key } from '../../../src/top/state/key.ts'

/** The keys that a terminal's bytes are. */
const keysIn = async (...chunks: readonly string[]): Promise<readonly Key[]> => {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => {}, unref: () => {} })
  const keys: Key[] = []
  const keyboard = openKeyboard(stdin as unknown as NodeJS.ReadStream, (key) => keys.push(key))
  keyboard.hold()
  const read = new Promise((resolve) => {
    stdin.once('end', resolve)
  })
  for (const chunk of chunks) stdin.write(chunk)
  stdin.end()
  await read
  keyboard.close()
  return keys
}

t.test('keys that were pressed quickly come one by one, those without a letter too', async (t) => {
  t.same(await keysIn('jj\ru\u0003\u001A'), [
    { input: 'j' },
    { input: 'j' },
    { input: '', name: 'enter' },
    { input: 'u' },
    { input: 'c', isCtrl: true },
    { input: 'z', isCtrl: true },
  ])
})

t.test('keys that terminals send as codes have names', async (t) => {
  const codes = ['\u001B[A', '\u001BOB', '\u001B[5~', '\u001B[6~', '\u001B[H', '\u001B[F', '\t', '\u001B[Z', '\u007F']
  const names = (await keysIn(codes.join(''))).map(({ name }) => name)
  t.same(names, ['up', 'down', 'page-up', 'page-down', 'home', 'end', 'tab', 'back-tab', 'backspace'])
})

t.test('Esc and another key right after it are two keys', async (t) => {
  t.same(await keysIn('\u001B/'), [{ input: '', name: 'escape' }, { input: '/' }])
  t.same(await keysIn('\u001Bp'), [{ input: '', name: 'escape' }, { input: 'p' }])
})

t.test('characters of any script are themselves', async (t) => {
  t.same(await keysIn('通🚀'), [{ input: '通' }, { input: '🚀' }])
})
