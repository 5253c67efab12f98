import t from 'tap'
import { limitFor, PROFILES, thresholdsOf } from '../../src/pick/settings.ts'

t.test('seed has the numbers of the original, whatever the slots', (t) => {
  const seed = thresholdsOf({ profile: 'seed' })
  t.match(seed, { kvCacheThreshold: 0.8, loraAffinityThreshold: 0.999, idlePasses: false })
  t.equal(limitFor(seed.queueThresholdCritical, 8), 5)
  t.equal(limitFor(seed.queueingThresholdLoRA, 8), 128)
  t.end()
})

t.test('llama is the default and counts queues in slots', (t) => {
  const llama = thresholdsOf({})
  t.same(llama, PROFILES.llama)
  t.equal(limitFor(llama.queueThresholdCritical, 8), 8)
  t.equal(limitFor(llama.queueingThresholdLoRA, 8), 32)
  t.end()
})

t.test('a number from the configuration stands as written', (t) => {
  const own = thresholdsOf({
    queueThresholdCritical: 0,
    queueingThresholdLoRA: 7,
    kvCacheThreshold: 0,
    loraAffinityThreshold: 0,
  })
  t.equal(limitFor(own.queueThresholdCritical, 8), 0)
  t.equal(limitFor(own.queueingThresholdLoRA, 8), 7)
  t.match(own, { kvCacheThreshold: 0, loraAffinityThreshold: 0, idlePasses: true })
  t.end()
})
