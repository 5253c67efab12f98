import { readConfigFiles } from '@lswap/core'
import t from 'tap'
import { demoConfig } from '../../../src/commands/serve/demo.ts'

t.test('the demo is a valid configuration of two models that exclude each other', (t) => {
  const { files } = demoConfig(String.raw`/opt/my "tools"/a\b/fake.js`)
  const reading = readConfigFiles(files, { env: {} })
  t.match(reading, { ok: true, warnings: [], config: { swapper: 'exclusive' } })
  if (!reading.ok) return t.end()
  t.same(
    reading.config.models.map(({ id }) => id),
    ['demo-a', 'demo-b'],
  )
  for (const { cmd } of reading.config.models) {
    t.match(cmd, String.raw`"/opt/my \"tools\"/a\\b/fake.js" --port \${PORT} `.replace(String.raw`\$`, '$'))
  }
  return t.end()
})
