import t from 'tap'
import { configOf, issuesOf, withModel } from './reading.ts'

const picker = (settings: string): string => withModel(`routing: { picker: ${settings} }`)

t.test('without settings it is the tree in the profile of llama-server', async (t) => {
  t.same(configOf(withModel('')).picker, { use: 'tree', profile: 'llama', onSaturation: 'wait' })
})

t.test('every setting arrives', async (t) => {
  const settings = {
    use: 'tree',
    profile: 'seed',
    kvCacheThreshold: 0.5,
    queueThresholdCritical: 3,
    queueingThresholdLoRA: 64,
    loraAffinityThreshold: 0,
    onSaturation: 'shed',
    staleAfterMs: 500,
  }
  const text = picker(JSON.stringify(settings))
  t.same(configOf(text).picker, settings)
  t.same(issuesOf(text), [])
})

t.test('settings of another picker have no effect, and that is said', async (t) => {
  const text = picker('{ use: least-loaded, kvCacheThreshold: 0.5 }')
  t.equal(configOf(text).picker.use, 'least-loaded')
  t.same(issuesOf(text), [
    '1:41: warning: routing.picker.kvCacheThreshold: no effect: the picker least-loaded has no settings',
  ])
})

t.test('the picker that goes by prefixes has the settings of the tree, and one of its own', async (t) => {
  const settings = {
    use: 'prefix',
    profile: 'seed',
    kvCacheThreshold: 0.5,
    prefixQueueThreshold: 2,
    onSaturation: 'wait',
  }
  const text = picker(JSON.stringify(settings))
  t.same(configOf(text).picker, settings)
  t.same(issuesOf(text), [])
  t.same(issuesOf(picker('{ prefixQueueThreshold: 2 }')), [
    '1:22: warning: routing.picker.prefixQueueThreshold: no effect: the picker tree knows no prefixes',
  ])
})

t.test('mistakes', async (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['{ kvCacheThreshold: 80 }', /^1:40: .*kvCacheThreshold: expected a number from 0 to 1, found the number 80$/],
    ['{ loraAffinityThreshold: -0.1 }', /loraAffinityThreshold: expected a number from 0 to 1/],
    ['{ queueThresholdCritical: -1 }', /queueThresholdCritical: expected a whole number, 0 or more/],
    ['{ queueingThresholdLoRA: 1.5 }', /queueingThresholdLoRA: expected a whole number, 0 or more/],
    ['{ use: prefix, prefixQueueThreshold: 0.5 }', /prefixQueueThreshold: expected a whole number, 0 or more/],
    ['{ staleAfterMs: 2s }', /staleAfterMs: expected a whole number of milliseconds, .*found the text "2s"$/],
    ['{ profile: lama }', /expected one of llama, seed, found the text "lama" \(did you mean llama\?\)$/],
    ['{ onSaturation: drop }', /expected one of wait, shed, found the text "drop"$/],
    ['{ threshold: 1 }', /unknown key "threshold"; valid are use, profile, kvCacheThreshold, /],
  ]
  for (const [settings, line] of cases) t.match(issuesOf(picker(settings)), [line], settings)
})
