import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { scratch } from '@lswap/core/test-support'
import t, { type Test } from 'tap'
import { main } from '../../../src/main.ts'
import { CLI } from '../../e2e/programs.ts'
import { json, refusal, routerDouble, silence } from '../../router-double.ts'
import { terminal } from '../../terminal.ts'

const run = promisify(execFile)

const MODELS = {
  data: [
    { id: 'qwen', aliases: ['gpt-4'] },
    { id: 'org/m:q4', aliases: [] },
    { id: 'org/m:q8', aliases: [] },
  ],
}

const script = async (shell: string): Promise<string> => {
  const io = terminal()
  await main(['completion', shell], io)
  return io.out()
}

/** A folder with `lswap` on its PATH and the script of a shell. */
const setUp = async (t: Test, shell: string) => {
  const router = await routerDouble({ 'GET /v1/models': json(200, MODELS) })
  t.teardown(() => router.close())
  const folder = scratch(t, { script: await script(shell), file: '' })
  const program = join(folder, 'lswap')
  writeFileSync(program, `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(CLI)} "$@"\n`)
  chmodSync(program, 0o755)
  const env = { HOME: folder, LSWAP_URL: router.url, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` }
  return { folder, env, file: join(folder, 'script') }
}

const has = async (shell: string): Promise<boolean> =>
  run(shell, ['-c', ':']).then(
    () => true,
    () => false,
  )

/** A busy machine may miss the 200 ms for which names are asked, and then there are none: asked again as by another Tab. */
const again = async <Answer extends { readonly length: number }>(ask: () => Promise<Answer>): Promise<Answer> => {
  for (let left = 20; left > 0; left -= 1) {
    const answer = await ask()
    if (answer.length > 0) return answer
  }
  return ask()
}

const without = async (shell: string): Promise<{ readonly skip?: string }> =>
  (await has(shell)) ? {} : { skip: `${shell} is not installed` }

t.test('bash completes commands, options, their values, and models of any id', await without('bash'), async (t) => {
  const { folder, env, file } = await setUp(t, 'bash')
  const complete = async (line: string): Promise<readonly string[]> => {
    const program = `source ${file}; COMP_LINE=$1; COMP_POINT=\${#1}; _lswap; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await run('bash', ['--norc', '-c', program, 'bash', line], { env, cwd: folder })
    return stdout.split('\n').filter((word) => word !== '')
  }
  t.same(await complete('lswap unl'), ['unload'])
  t.ok((await complete('lswap ')).includes('serve'))
  t.notOk((await complete('lswap ')).includes('__complete'), 'what is not for people stays hidden')
  t.same(await complete('lswap load --no'), ['--no-wait'])
  t.same(await complete('lswap ps --color '), ['auto', 'always', 'never'])
  t.same(await complete('lswap completion z'), ['zsh'])
  t.same(await complete('lswap serve --state'), ['--state-dir'])
  t.same(await again(() => complete('lswap load ')), ['qwen', 'gpt-4', 'org/m:q4', 'org/m:q8'])
  t.same(await again(() => complete('lswap unload qwen g')), ['gpt-4'])
  t.same(
    await again(() => complete('lswap load org/m:q')),
    ['q4', 'q8'],
    'bash splits at colons: what is there already is left out',
  )
  t.same(await again(() => complete('lswap load --timeout 5 q')), ['qwen'])
  t.same(await complete('lswap ps '), [])
  t.same(await complete('lswap load --timeout '), [])
  await run('bash', ['-n', file])
})

t.test('fish completes the same', await without('fish'), async (t) => {
  const { folder, env, file } = await setUp(t, 'fish')
  const complete = async (line: string): Promise<readonly string[]> => {
    const program = `source ${file}; complete -C ${JSON.stringify(line)}`
    const { stdout } = await run('fish', ['--no-config', '-c', program], { env, cwd: folder })
    return stdout.split('\n').flatMap((text) => text.split('\t')[0] || [])
  }
  t.same(await complete('lswap unl'), ['unload'])
  t.same(await complete('lswap load --no'), ['--no-wait'])
  t.same((await again(() => complete('lswap load '))).toSorted(), ['gpt-4', 'org/m:q4', 'org/m:q8', 'qwen'])
  t.same((await complete('lswap ps --color ')).toSorted(), ['always', 'auto', 'never'])
})

t.test('an option that takes several files completes files in every shell', async (t) => {
  t.match(await script('bash'), /'top --token-file'\) compopt -o default/)
  t.match(await script('fish'), /seen_subcommand_from top' -l token-file .* -r -F\n/)
  t.match(await script('zsh'), /'--token-file\[token of the agents.*\]:file:_files'/)
})

t.test('zsh reads its script', await without('zsh'), async (t) => {
  const { file } = await setUp(t, 'zsh')
  await run('zsh', ['-n', file])
  t.pass()
})

t.test('names come from the router that the line is about', async (t) => {
  const router = await routerDouble({ 'GET /v1/models': json(200, MODELS) })
  t.teardown(() => router.close())
  for (const words of [['--url', router.url], [`--url=${router.url}`]]) {
    const names = await again(async () => {
      const io = terminal({ env: { LSWAP_URL: 'http://127.0.0.1:1' } })
      await main(['__complete', '--', 'lswap', 'load', ...words], io)
      return io.out()
    })
    t.equal(names, 'qwen\ngpt-4\norg/m:q4\norg/m:q8\n')
  }
})

t.test(
  'a router that is away, refuses, or does not answer completes nothing, says nothing, and not for long',
  async (t) => {
    const silent = await routerDouble({ 'GET /': silence })
    const refusing = await routerDouble({ 'GET /': refusal(401, 'unauthorized', 'no') })
    t.teardown(() => Promise.all([silent.close(), refusing.close()]))
    for (const url of ['http://127.0.0.1:1', silent.url, refusing.url, 'nonsense://']) {
      const io = terminal({ env: { LSWAP_URL: url } })
      const began = performance.now()
      t.equal(await main(['__complete', '--', 'lswap', 'load'], io), 0)
      // Far below the ten seconds that other commands wait, on a busy machine too
      t.ok(performance.now() - began < 5_000, url)
      t.same([io.out(), io.err()], ['', ''])
    }
  },
)
