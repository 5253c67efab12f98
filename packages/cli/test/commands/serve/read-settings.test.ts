import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { readSettings } from '../../../src/commands/serve/read-settings.ts'

const read = (text: string, env: Record<string, string> = {}, cwd = '/'): { said: string[]; error: unknown } => {
  const said: string[] = []
  try {
    readSettings({ name: 'x.yaml', files: [{ file: 'x.yaml', text }] }, { env, cwd, say: (line) => said.push(line) })
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
  const { said, error } = read('captureBuffer: 5\nmodels:\n  a:\n    cmd: x --port ${PORT}\n')
  t.equal(error, undefined)
  t.match(said, [/^x\.yaml:1:\d+: warning: .*captureBuffer/])
  t.end()
})

t.test('the environment is the one of the command', (t) => {
  const text = 'models:\n  a:\n    cmd: ${env.ENGINE} --port ${PORT}\n'
  t.equal(read(text, { ENGINE: 'x' }).error, undefined)
  t.match(read(text).said, [/ENGINE/])
  t.end()
})

t.test('a key file is beside the file that names it; what is wrong with it has a place, and never shows a key', (t) => {
  const cwd = scratch(t, { good: 'sk-secret\n', two: 'sk-secret\nsk-secret', large: 'x'.repeat(20_000), folder: {} })
  const told = (file: string): string => {
    const { said } = read(`apiKeys: [{ keyFile: ${file} }]\nmodels: { a: { cmd: "x \${PORT}" } }\n`, {}, cwd)
    return said.join('\n')
  }
  t.equal(told('good'), '')
  t.equal(told(`${cwd}/good`), '')
  const place = 'x.yaml:1:22: error: apiKeys[0].keyFile: the key file'
  t.equal(told('none'), `${place} none can not be read: it does not exist`)
  t.equal(told('folder'), `${place} folder can not be read: it is a folder`)
  t.equal(told('large'), `${place} large can not be read: it has more than 16384 bytes`)
  t.equal(told('two'), `${place} two does not hold one key on one line`)
  t.end()
})
