import { chmod, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { createEngineVersions } from '../../src/engines/versions.ts'

const script = async (path: string, text: string): Promise<void> => {
  await writeFile(path, `#!/bin/sh\necho x >> "$0.starts"\n${text}\n`)
  await chmod(path, 0o755)
}

const starts = async (path: string) => (await readFile(`${path}.starts`, 'utf8').catch(() => '')).length / 2

t.test('llama-servers are asked for their version once, and again when they are another file', async (t) => {
  const dir = scratch(t, {})
  const server = join(dir, 'llama-server')
  await script(server, 'echo "version: 4711 (abc123)" >&2')
  await script(join(dir, 'vllm'), 'echo "version: 1"')
  const models = ['llama-server -m a', 'llama-server -m b', 'vllm serve', 'nothing-of-the-kind', '"unclosed']
  const versions = createEngineVersions({ models: () => models.map((cmd) => ({ cmd })), env: { PATH: `${dir}:/bin` } })
  t.same(await versions.list(), [
    { executable: server, version: '4711 (abc123)' },
    { executable: join(dir, 'vllm'), version: null },
  ])
  await versions.list()
  t.equal(await starts(server), 1)
  t.equal(await starts(join(dir, 'vllm')), 0, 'who may take the switch for something else is not asked')
  await script(server, 'echo "version: 4712 (def456)"')
  await utimes(server, new Date(), new Date(Date.now() + 5_000))
  t.match(await versions.list(), [{ version: '4712 (def456)' }, {}])
})
