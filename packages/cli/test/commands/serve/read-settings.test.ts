import t from 'tap'
import { readSettings } from '../../../src/commands/serve/read-settings.ts'

const read = (text: string, env: Record<string, string> = {}): { said: string[]; error: unknown } => {
  const said: string[] = []
  try {
    readSettings({ file: 'x.yaml', text }, { env, say: (line) => said.push(line) })
    return { said, error: undefined }
  } catch (error) {
    return { said, error }
  }
}

t.test('every error is named with its place, and then counted', (t) => {
  const { said, error } = read('models:\n  a:\n    cmd: x ${PORT}\n    tttl: 1\nnope: 2\n')
  t.match(said, [/^x\.yaml:4:5: error: /, /^x\.yaml:5:1: error: /])
  t.match(error, { failure: { code: 'invalid_config', message: '2 errors in x.yaml; nothing was started.' } })
  t.end()
})

t.test('a warning is told and does not stop anything', (t) => {
  const { said, error } = read('metricsMaxInMemory: 5\nmodels:\n  a:\n    cmd: x --port ${PORT}\n')
  t.equal(error, undefined)
  t.match(said, [/^x\.yaml:1:\d+: warning: .*metricsMaxInMemory/])
  t.end()
})

t.test('the environment is the one of the command', (t) => {
  const text = 'models:\n  a:\n    cmd: ${env.ENGINE} --port ${PORT}\n'
  t.equal(read(text, { ENGINE: 'x' }).error, undefined)
  t.match(read(text).said, [/ENGINE/])
  t.end()
})
