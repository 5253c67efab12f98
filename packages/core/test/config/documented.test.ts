import { readFileSync } from 'node:fs'
import t from 'tap'
import { readConfig } from '../../src/config/read-config.ts'
import { issuesOf } from './reading.ts'

const DOCUMENT = new URL('../../../../../docs/scheduling.md', import.meta.url)
const MODELS = ['qwen', 'embed', 'coder', 'vision', 'llama-70b-q4']
const models = `models: { ${MODELS.map((id) => `${id}: { cmd: "x \${PORT}" }`).join(', ')} }\n`

/** A file around an example: the models that it leaves out, and a command for those that it shows. */
const fileOf = (example: string): string =>
  (/^models:/m.test(example) ? '' : models) + example.replaceAll('cmd: …', 'cmd: "x ${PORT}"')

t.test('the examples of the documentation can be served', async (t) => {
  const text = readFileSync(DOCUMENT, 'utf8')
  const examples = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, example]) => example ?? '')
  t.equal(examples.length, 6)
  for (const example of examples) t.same(issuesOf(fileOf(example)), [], example)
})

t.test('the mistake that the documentation shows is told like that', async (t) => {
  const text = readFileSync(DOCUMENT, 'utf8')
  const matrix = /^```yaml\n(matrix:.*?)^```$/ms.exec(text)?.[1] ?? ''
  const shown = /^lswap\.yaml:(.*)$/m.exec(text)?.[1]
  t.same(issuesOf(`${matrix.replace('coder', 'codr')}${models}`), [shown])
})

t.test('what the documentation says about keys can be served', async (t) => {
  const text = readFileSync(new URL('keys.md', DOCUMENT), 'utf8')
  const examples = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, example]) => example ?? '')
  t.equal(examples.length, 4)
  for (const example of examples) {
    const reading = readConfig(/^models:/m.test(example) ? example : `${models}${example}`, {
      file: 'lswap.yaml',
      env: { LSWAP_BOSS_KEY: 'b', NIGHTLY_KEY: 'n', DASHBOARD_KEY: 'd', ENGINE_KEY: 'e' },
      readKeyFile: (path) => ({ ok: true, text: path }),
    })
    t.match(reading, { ok: true, warnings: { length: 0 } }, example)
  }
})

t.test('the examples of the reference can be served', async (t) => {
  const text = readFileSync(new URL('configuration.md', DOCUMENT), 'utf8')
  const examples = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, example]) => example ?? '')
  t.equal(examples.length, 3)
  for (const example of examples) t.same(issuesOf(example, { HOME: '/home/me', STUDIO_KEY: 'k' }), [], example)
})
