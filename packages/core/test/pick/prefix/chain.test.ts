import t from 'tap'
import { BLOCK_ENDS, ChainHasher, MOST_BLOCKS, MOST_BYTES, type PrefixChain } from '../../../src/pick/prefix/chain.ts'

/** Bytes of a prompt that go on the same for the same seed. */
const prompt = (seed: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (Math.imul(at + 1, 2_654_435_761 + seed * 97) >>> 24) & 0xff)

const chainOf = (bytes: Uint8Array, seed = ''): PrefixChain => {
  const hasher = new ChainHasher(seed)
  hasher.push(bytes)
  return hasher.chain()
}

t.test('blocks have 256 bytes up to 4 KiB, and then a sixteenth of what lies before them', async (t) => {
  t.same(BLOCK_ENDS.slice(0, 3), [256, 512, 768])
  t.equal(BLOCK_ENDS[15], 4_096)
  t.equal(BLOCK_ENDS[16], 4_096 + 256)
  t.equal(BLOCK_ENDS[17], 4_352 + 272)
  t.equal(BLOCK_ENDS.length, MOST_BLOCKS)
  t.ok(MOST_BYTES > 500_000 && MOST_BYTES < 530_000, `${MOST_BYTES}`)
  for (const [at, end] of BLOCK_ENDS.entries()) {
    const start = BLOCK_ENDS[at - 1] ?? 0
    t.ok(end - start >= 256 && end - start <= Math.max(256, start / 16), `block ${at}: ${start} to ${end}`)
  }
})

t.test('only whole blocks count, and no more than there may be', async (t) => {
  t.same(chainOf(prompt(1, 255)), [])
  t.equal(chainOf(prompt(1, 256)).length, 1)
  t.equal(chainOf(prompt(1, 511)).length, 1)
  t.equal(chainOf(prompt(1, 4_352)).length, 17)
  const hasher = new ChainHasher('')
  hasher.push(prompt(1, MOST_BYTES - 1))
  t.notOk(hasher.isFull())
  hasher.push(prompt(1, 100_000))
  t.ok(hasher.isFull())
  t.equal(hasher.chain().length, MOST_BLOCKS)
})

t.test('prompts that begin alike have chains that begin alike, and differ from the first difference on', async (t) => {
  const one = prompt(1, 3_000)
  const other = one.slice()
  other[1_100] = (other[1_100] as number) ^ 1
  const [a, b] = [chainOf(one), chainOf(other)]
  t.same(a.slice(0, 4), b.slice(0, 4), 'the first 1,024 bytes')
  for (let at = 4; at < a.length; at += 1) t.not(a[at], b[at], `block ${at}`)
})

t.test('another seed is another chain from the start', async (t) => {
  const [plain, adapted] = [chainOf(prompt(1, 1_024)), chainOf(prompt(1, 1_024), 'lora-a')]
  for (const [at, block] of plain.entries()) t.not(block, adapted[at])
})

t.test('blocks that repeat are not the same block', async (t) => {
  const chain = chainOf(new Uint8Array(2_560).fill(97))
  t.equal(new Set(chain).size, 10)
})

t.test('of 20,000 prompts that differ in a few bytes hardly two share a block by chance', async (t) => {
  const seen = new Set<number>()
  for (let seed = 0; seed < 20_000; seed += 1) {
    const bytes = new Uint8Array(256)
    new DataView(bytes.buffer).setUint32(seed % 250, seed)
    for (const block of chainOf(bytes)) seen.add(block)
  }
  // Of 20,000 numbers of 32 bits 0.05 pairs are expected to be the same
  t.ok(seen.size >= 19_998, `${seen.size} of 20000`)
})
