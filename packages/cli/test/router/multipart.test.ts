import { createHash } from 'node:crypto'
import { modelId } from '@lswap/core'
import t from 'tap'
import { answerJson, fail } from './support/answers.ts'
import { ask, errorOf } from './support/ask.ts'
import { model } from './support/config.ts'
import { access, bearer, key } from './support/keys.ts'
import { startRig } from './support/rig.ts'

const MIB = 1024 * 1024
const headers = { 'Content-Type': 'multipart/form-data; boundary="--b 1"' }
const field = (name: string, value: string): string =>
  `----b 1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const END = '----b 1--\r\n'
const file = (bytes: number): string =>
  `----b 1\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n${'\0\r\n--'.repeat(bytes / 5)}\r\n`

const sha = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

t.test('an upload reaches its model unchanged, wherever the field stands', async (t) => {
  // Filters are about JSON
  const models = [model('a', { aliases: ['whisper'], useModelName: 'other' })]
  const { port, agent } = await startRig(t, {
    models,
    answer: (forward) => void forward.body().then((bytes) => answerJson(sha(bytes))(forward)),
  })
  const cases = [
    ['/v1/audio/transcriptions', field('model', 'whisper') + file(100) + END],
    ['/v1/audio/translations', file(100) + field('model', 'a') + END],
    ['/v1/images/edits', field('model', 'a') + file(6 * MIB) + END],
    ['/v1/images/variations?x=1', file(6 * MIB) + field('model', 'a') + field('x', 'y') + END],
  ] as const
  for (const [path, body] of cases) {
    const told = await ask(port, { path, body, headers })
    t.equal(told.text, JSON.stringify(sha(body)), path)
    t.equal(told.headers['x-lswap-model'], 'a')
    t.equal(agent.forwards.at(-1)?.request.path, path)
    t.ok(agent.forwards.at(-1)?.request.headers.includes(headers['Content-Type']))
  }
})

t.test('an upload has a limit of its own', async (t) => {
  const { port } = await startRig(t, {
    limits: { maxBodyBytes: 1_000, maxUploadBytes: 10_000 },
    answer: (forward) => void forward.body().then(() => answerJson({})(forward)),
  })
  const path = '/v1/audio/transcriptions'
  t.equal((await ask(port, { path, headers, body: field('model', 'a') + file(5_000) + END })).status, 200)
  const told = await ask(port, { path, headers, body: field('model', 'a') + file(10_000) + END })
  t.match([told.status, errorOf(told)], [413, { code: 'body_too_large', message: /maxUploadBytes, 10000 bytes/ }])
})

t.test('what is no form, or has no model, is refused', async (t) => {
  const { port, agent } = await startRig(t, { answer: (forward) => fail(forward, 'internal') })
  const path = '/v1/images/edits'
  const json = await ask(port, { path, body: '{"model":"a"}', headers: { 'Content-Type': 'application/json' } })
  t.match([json.status, errorOf(json)], [400, { code: 'invalid_request', message: /multipart\/form-data/ }])
  const none = await ask(port, { path, body: field('x', 'a') + END, headers })
  t.match([none.status, errorOf(none).code], [400, 'model_missing'])
  const unknown = await ask(port, { path, body: field('model', 'nope') + END, headers })
  t.match([unknown.status, errorOf(unknown).code], [404, 'model_not_found'])
  const cut = await ask(port, { path, body: field('x', 'a'), headers })
  t.match([cut.status, errorOf(cut).code], [400, 'invalid_request'])
  t.same(agent.forwards, [])
})

t.test('bounds on bodies come from the configuration', async (t) => {
  const { port } = await startRig(t, { config: { bodies: { maxBodyBytes: 100, maxUploadBytes: 10_000 } } })
  const json = await ask(port, { body: `{"x":"${'x'.repeat(200)}"` })
  t.match([json.status, errorOf(json)], [413, { message: /maxBodyBytes, 100 bytes/ }])
  const form = await ask(port, { path: '/v1/images/edits', headers, body: file(20_000) })
  t.match([form.status, errorOf(form)], [413, { message: /maxUploadBytes, 10000 bytes/ }])
})

t.test('of a key that reaches some models a form is read whole, and names one', async (t) => {
  const config = { access: access({ keys: [key('some', { models: [modelId('a')] }), key('all')] }) }
  const { port, agent } = await startRig(t, { config, answer: answerJson({}) })
  const path = '/v1/audio/transcriptions'
  const body = field('model', 'a') + file(100) + field('model', 'b') + END
  const told = await ask(port, { path, body, headers: { ...headers, ...bearer('some') } })
  t.match([told.status, errorOf(told)], [400, { code: 'invalid_request', message: /two fields/ }])
  t.equal(agent.forwards.length, 0)
  t.equal((await ask(port, { path, body, headers: { ...headers, ...bearer('all') } })).status, 200)
  const one = { path, body: file(2 * MIB) + field('model', 'a') + END, headers: { ...headers, ...bearer('some') } }
  t.equal((await ask(port, one)).status, 200)
})
