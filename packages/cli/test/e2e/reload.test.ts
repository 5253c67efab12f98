import { readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { chat, contentOf, errorOf, eventsOf } from './chat.ts'
import { served } from './served.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

const starts = ({ event }: { event: string }): boolean => event === 'start'
/** Another switch for one model's engine. */
const flagged = (id: string, flag: string) => (text: string) =>
  text.replace(`--alias \\"${id}\\"`, `--alias \\"${id}\\" ${flag}`)

t.test('SIGHUP reads the configuration again, in the same process; an edit elsewhere touches no stream', async (t) => {
  const { url, pid, signal, edit, journal, logged } = await served(t, {
    models: { a: '--tokens 20 --tps 20', b: '' },
    yaml: 'groups: { all: { swap: false, members: [a, b] } }\n',
  })
  const streamed = await chat(url, 'a', { stream: true, maxTokens: 20 })
  await contentOf(await chat(url, 'b'))
  await edit((text) => `${flagged('b', '--parallel 2')(text)}cors: [http://x]\n`)
  signal('SIGHUP')
  await logged('reload: done')
  t.equal(eventsOf(await streamed.text()).at(-1), '[DONE]')
  t.equal((await chat(url, 'a')).status, 200)
  t.equal((await chat(url, 'b')).status, 200)
  t.same(await journal.starts(), ['a', 'b', 'b'])
  process.kill(pid, 0)
})

t.test('a model that changes ends its streams, and the next request gets the new engine', async (t) => {
  const { url, edit, journal } = await served(t, { models: { a: '--tokens 20 --tps 20' } })
  const streamed = await chat(url, 'a', { stream: true, maxTokens: 20 })
  await edit(flagged('a', '--parallel 2'))
  const answer = await fetch(`${url}/api/reload`, { method: 'POST' })
  t.match(await answer.json(), { models: { changed: [{ id: 'a', keys: ['cmd'], restarts: true }] } })
  const waiting = chat(url, 'a')
  t.equal(eventsOf(await streamed.text()).at(-1), '[DONE]')
  t.equal((await waiting).status, 200)
  const lines = await journal.lines()
  const [first, second] = lines.filter(starts)
  t.equal(lines.filter(starts).length, 2)
  const ended = lines.findIndex(({ event, pid }) => event === 'exit' && pid === first?.pid)
  const begun = lines.findIndex((line) => line === second)
  t.ok(ended !== -1 && ended < begun, 'one at a time')
})

t.test('a broken file changes nothing, and its mistakes are told with their places', async (t) => {
  const { url, signal, edit, journal, logged } = await served(t, { models: { a: '' } })
  await contentOf(await chat(url, 'a'))
  await edit((text) => `${text}aliass: 1\nmaxQueued: none\n`)
  signal('SIGHUP')
  await logged('unknown key "aliass"')
  await logged('reload: nothing was changed')
  const answer = await fetch(`${url}/api/reload`, { method: 'POST' })
  t.equal(answer.status, 400)
  t.match(await answer.json(), {
    error: { code: 'invalid_config', message: /2 errors/ },
    issues: [
      { file: 'lswap.yaml', line: 5, column: 1, path: 'aliass' },
      { file: 'lswap.yaml', line: 6, column: 12, path: 'maxQueued' },
    ],
  })
  t.equal((await chat(url, 'a')).status, 200)
  t.same(await journal.starts(), ['a'])
})

t.test('a file that is gone changes nothing', async (t) => {
  const { url, folder } = await served(t, { models: { a: '' } })
  await rename(`${folder}/lswap.yaml`, `${folder}/elsewhere.yaml`)
  const answer = await fetch(`${url}/api/reload`, { method: 'POST' })
  t.match([answer.status, await errorOf(answer)], [400, { code: 'invalid_config', message: /does not exist/ }])
  t.equal((await chat(url, 'a')).status, 200)
})

t.test(
  '--watch takes over what is edited, also in place of a broken half, behind a link and in a key file',
  async (t) => {
    const { url, folder, edit, journal, logged } = await served(t, {
      models: { a: '' },
      argv: ['--watch'],
      files: { secret: 'sk-one\n' },
      yaml: 'apiKeys: [{ keyFile: secret, name: k }]\n',
    })
    const statusOf = async (model: string, secret = 'sk-one'): Promise<number> => {
      const response = await chat(url, model, { headers: { authorization: `Bearer ${secret}` } })
      await response.text()
      return response.status
    }
    t.equal(await statusOf('a'), 200)
    t.equal(await statusOf('x'), 404)

    await edit((text) => text.replace('apiKeys:', 'aliass: 1\napiKeys:'))
    await logged('unknown key "aliass"')
    t.equal(await statusOf('a'), 200, 'the old one goes on')
    await edit((text) => text.replace('aliass: 1\n', '').replace('    cmd:', '    aliases: [x]\n    cmd:'))
    await until('the alias counts', async () => ((await statusOf('x')) === 200 ? true : undefined))

    // As ConfigMaps are exchanged: another file behind the same name
    const text = await readFile(join(folder, 'lswap.yaml'), 'utf8')
    await writeFile(join(folder, 'second.yaml'), text.replace('aliases: [x]', 'aliases: [y]'))
    await symlink('second.yaml', join(folder, 'link'))
    await rename(join(folder, 'link'), join(folder, 'lswap.yaml'))
    await until('the other file counts', async () => ((await statusOf('y')) === 200 ? true : undefined))

    await writeFile(join(folder, 'secret'), 'sk-two\n')
    await until('the other key counts', async () => ((await statusOf('a', 'sk-two')) === 200 ? true : undefined))
    t.equal(await statusOf('a'), 401)
    t.same(await journal.starts(), ['a'], 'all the while in one process')
  },
)
