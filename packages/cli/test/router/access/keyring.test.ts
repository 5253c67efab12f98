import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import t from 'tap'
import { createKeyring } from '../../../src/router/access/keyring.ts'
import { key } from '../support/keys.ts'

const keys = [key('one'), key('two'), key('three')]
const find = (...texts: readonly string[]): string | undefined =>
  createKeyring(keys).find(texts.map((text) => Buffer.from(text)))?.name

t.test('finds the key that was presented, whole', async (t) => {
  t.equal(find('sk-two'), 'two')
  t.equal(find('wrong', 'sk-three'), 'three')
  t.equal(find('sk-two', 'sk-one'), 'two', 'the first that is one')
  for (const text of ['', 'sk-tw', 'sk-twoo', 'SK-TWO', 'two']) t.equal(find(text), undefined, text)
  t.equal(find(), undefined)
  t.ok(createKeyring([]).isEmpty)
  t.notOk(createKeyring(keys).isEmpty)
})

t.test('compares in constant time, with every key, also when one was found', async (t) => {
  const real = crypto.timingSafeEqual
  const lengths: number[] = []
  crypto.timingSafeEqual = (a, b) => {
    lengths.push(a.byteLength, b.byteLength)
    return real(a, b)
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    crypto.timingSafeEqual = real
    syncBuiltinESMExports()
  })
  t.equal(find('sk-one'), 'one')
  t.same(lengths, [32, 32, 32, 32, 32, 32], 'digests of one length, whatever was sent')
  lengths.length = 0
  t.equal(find('x'), undefined)
  t.equal(lengths.length, 6)
})
