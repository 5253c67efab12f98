import t from 'tap'
import { presentedKeys } from '../../../src/router/access/presented-keys.ts'

const shown = (headers: Record<string, string>): readonly string[] => presentedKeys(headers).map(String)
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

t.test('a key is a bearer token, the password of Basic, or x-api-key', async (t) => {
  t.same(shown({ authorization: 'Bearer sk-1' }), ['sk-1'])
  t.same(shown({ authorization: '  bEARER   sk-1 ' }), ['sk-1'])
  t.same(shown({ authorization: basic('anybody:sk:1') }), ['sk:1'], 'the password may hold colons')
  t.same(shown({ authorization: basic(':sk-1') }), ['sk-1'], 'nobody needs a name')
  t.same(shown({ 'x-api-key': ' sk-1 ' }), ['sk-1'])
  t.same(shown({ authorization: 'Bearer sk-1', 'x-api-key': 'sk-2' }), ['sk-1', 'sk-2'])
})

t.test('bytes are compared as they were sent', async (t) => {
  const latin1 = Buffer.from('sk-ü模').toString('latin1')
  t.same(shown({ authorization: `Bearer ${latin1}` }), ['sk-ü模'])
  t.same(shown({ authorization: basic('x:sk-ü模') }), ['sk-ü模'])
})

t.test('everything else is no key', async (t) => {
  for (const authorization of [
    '',
    'sk-1',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Digest sk-1',
    'Basic',
    basic('sk-1'),
    basic('user:'),
  ]) {
    t.same(shown({ authorization }), [], authorization)
  }
  t.same(shown({ 'x-api-key': '  ' }), [])
  t.same(shown({}), [])
})
