import { modelId, readConfigFiles, type ModelConfig } from '@lswap/core'
import t from 'tap'
import { outdatedModels, redefinedModels } from '../../../src/commands/agent/outdated.ts'

const models = (lines: string): readonly ModelConfig[] => {
  const reading = readConfigFiles([{ file: 'c.yaml', text: `models:\n${lines}` }], { env: {} })
  if (!reading.ok) throw new Error(JSON.stringify(reading.issues))
  return reading.config.models
}
const A = '  a: { cmd: "run a ${PORT}" }\n'
const B = '  b: { cmd: "run b ${PORT}" }\n'

t.test('what is gone and what runs as something else has to end, and nothing besides', async (t) => {
  const before = models(A + B)
  t.same(outdatedModels({ before, now: models(A), loading: [] }), ['b'])
  t.same(outdatedModels({ before, now: models(A + B.replace('run b', 'run c')), loading: [] }), ['b'])
  t.same(
    outdatedModels({ before, now: models(`${A.replace('{', '{ ttl: 7,')}${B}${B.replaceAll('b', 'c')}`), loading: [] }),
    [],
  )
})

t.test('a load has to end when something is different that decides when a start is good', async (t) => {
  const before = models(A + B)
  const now = models((A + B).replaceAll('{ cmd', '{ checkEndpoint: /ready, cmd'))
  t.same(outdatedModels({ before, now, loading: [] }), [])
  t.same(outdatedModels({ before, now, loading: [modelId('b')] }), ['b'])
})

t.test('redefined is what would be started otherwise, and nothing that came or went', async (t) => {
  const before = models(A + B)
  const now = models(A.replace('{ cmd', '{ checkEndpoint: /ready, cmd') + B.replaceAll('b', 'c'))
  t.same(redefinedModels({ before, now }), ['a'])
  t.same(redefinedModels({ before, now: models(A.replace('{', '{ ttl: 7,') + B) }), [])
})
