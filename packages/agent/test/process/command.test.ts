import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { bindCommand, checkCommand } from '../../src/process/command.ts'
import { model } from './support/models.ts'

const problemOf = async (settings: Parameters<typeof model>[1]): Promise<string> => {
  const checked = await checkCommand(model('m', settings))
  if (checked.ok) return 'none'
  t.equal(checked.failure.code, 'start_failed')
  return checked.failure.message
}

t.test('finds the program on the PATH, the model’s own first', async (t) => {
  const dir = scratch(t, { bin: { engine: '#!/bin/sh\n' }, other: { engine: '' } })
  await chmod(join(dir, 'bin', 'engine'), 0o755)
  t.match(await problemOf({ cmd: 'engine --port ${PORT}' }), /engine is not on the PATH/)
  const found = await checkCommand(model('m', { cmd: 'engine -x ${PORT}', env: { PATH: `${dir}/other:${dir}/bin` } }))
  t.match(found, { ok: true, command: { file: join(dir, 'bin', 'engine'), args: ['-x', '${PORT}'] } })
  t.match(await problemOf({ cmd: 'engine', env: { PATH: `${dir}/other` } }), /other\/engine is not executable/)
  t.match(await problemOf({ cmd: `${dir}/bin` }), /is a directory/)
  t.match(await problemOf({ cmd: `${dir}/none` }), /none does not exist/)
})

t.test('says what is wrong with a command that can not be read', async (t) => {
  t.match(await problemOf({ cmd: `node 'open` }), /m can not be started: .*not closed/)
  t.match(await problemOf({ cmd: '' }), /m can not be started/)
  t.match(await problemOf({ cmd: 'node', proxy: 'nonsense' }), /m can not be started/)
})

t.test('the model file must be there, unless the path is one of elsewhere', async (t) => {
  const dir = scratch(t, { 'a.gguf': 'x' })
  const node = `'${process.execPath}'`
  t.equal(await problemOf({ cmd: `${node} -m ${dir}/a.gguf` }), 'none')
  t.match(await problemOf({ cmd: `${node} -m ${dir}/b.gguf` }), /model file .*b\.gguf does not exist/)
  t.match(await problemOf({ cmd: `${node} --model=b.gguf` }), /model file .*b\.gguf does not exist/)
  t.equal(await problemOf({ cmd: `${node} --model org/name` }), 'none')
  t.equal(await problemOf({ cmd: `${node} -m https://host/b.gguf` }), 'none')
  t.equal(await problemOf({ cmd: `${node} docker run image -m /models/b.gguf` }), 'none')
})

t.test(
  'an unreadable model file is told',
  { skip: process.getuid?.() === 0 ? 'root may read everything' : false },
  async (t) => {
    const dir = scratch(t, { 'a.gguf': 'x' })
    await chmod(join(dir, 'a.gguf'), 0)
    t.match(await problemOf({ cmd: `'${process.execPath}' -m ${dir}/a.gguf` }), /not readable/)
  },
)

t.test('puts the port into every argument', async (t) => {
  const config = model('m', { cmd: 'node --listen 0.0.0.0:${PORT}' })
  const command = { file: 'node', args: ['--listen', '0.0.0.0:${PORT}'], env: {} }
  t.same(bindCommand(config, command, 7).args, ['--listen', '0.0.0.0:7'])
})
