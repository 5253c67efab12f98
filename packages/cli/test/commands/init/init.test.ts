import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gguf, scratch } from '@lswap/core/test-support'
import t, { type Test } from 'tap'
import { main } from '../../../src/main.ts'
import { type Terminal, terminal } from '../../terminal.ts'

const machine = (
  t: Test,
  more: Record<string, string> = {},
): { cwd: string; io: (env?: Record<string, string>) => Terminal } => {
  const cwd = scratch(t, { bin: { 'llama-server': '#!/bin/sh\n' }, models: { 'tiny-Q8_0.gguf': gguf() }, ...more })
  chmodSync(join(cwd, 'bin', 'llama-server'), 0o755)
  return { cwd, io: (env) => terminal({ cwd, env: { HOME: join(cwd, 'home'), PATH: join(cwd, 'bin'), ...env } }) }
}

t.test('writes a configuration that check finds good', async (t) => {
  const { cwd, io } = machine(t)
  const first = io()
  t.equal(await main(['init'], first), 0)
  t.equal(first.err(), 'lswap.yaml: 1 model; next: lswap serve\n')
  t.match(readFileSync(join(cwd, 'lswap.yaml'), 'utf8'), /^ {2}tiny: # 1 MiB$/m)
  const check = io()
  t.equal(await main(['check'], check), 0)
  t.equal(check.err(), 'lswap.yaml: good, 1 model\n')
})

t.test('the command that it names serves the file that was written', async (t) => {
  const { cwd, io } = machine(t)
  const next = async (file: string, env?: Record<string, string>): Promise<string> => {
    const term = io(env)
    t.equal(await main(['init', file, '--force'], term), 0)
    return term.err().split('next: ')[1]?.trimEnd() ?? ''
  }
  t.equal(await next('other.yaml'), 'lswap serve --config other.yaml')
  t.equal(await next('config.yaml'), 'lswap serve', 'one of the usual places')
  t.equal(await next(join(cwd, 'lswap.yaml')), 'lswap serve')
  t.equal(await next('config.yaml'), 'lswap serve --config config.yaml', 'lswap.yaml is looked for first')
  t.equal(await next('lswap.yaml', { LSWAP_CONFIG: 'config.yaml' }), 'lswap serve --config lswap.yaml')
})

t.test('never writes over a file unless told to', async (t) => {
  const { cwd, io } = machine(t, { 'lswap.yaml': 'mine' })
  const refused = io()
  t.equal(await main(['init'], refused), 6)
  t.match(refused.err(), /lswap\.yaml exists already[\s\S]*--force/)
  t.equal(readFileSync(join(cwd, 'lswap.yaml'), 'utf8'), 'mine')
  t.equal(await main(['init', '--force'], io()), 0)
  t.match(readFileSync(join(cwd, 'lswap.yaml'), 'utf8'), 'models:')
})

t.test('- shows it, --json tells it, and neither writes', async (t) => {
  const { cwd, io } = machine(t)
  const shown = io()
  t.equal(await main(['init', '-'], shown), 0)
  t.match(shown.out(), /^models:$/m)
  const told = io()
  t.equal(await main(['init', '-', '--json'], told), 0)
  t.match(JSON.parse(told.out()), { file: null, engine: join(cwd, 'bin', 'llama-server'), models: [{ id: 'tiny' }] })
  t.throws(() => readFileSync(join(cwd, 'lswap.yaml')), { code: 'ENOENT' })
})

t.test('what was passed over is told, a dozen of them not one by one', async (t) => {
  const more = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`bad-${10 + at}.gguf`, 'no']))
  const { cwd, io } = machine(t)
  writeFileSync(join(cwd, 'models', 'cut.gguf'), '')
  mkdirSync(join(cwd, 'models', 'bad'))
  for (const [name, text] of Object.entries(more)) writeFileSync(join(cwd, 'models', 'bad', name), text)
  const told = io()
  t.equal(await main(['init', '-', '--json'], told), 0)
  const lines = told.err().trimEnd().split('\n')
  t.equal(lines[0], `passed over: ${join(cwd, 'models/cut.gguf')}: it is empty`)
  t.match(lines[9], /bad-18\.gguf: it does not begin as a GGUF file does$/)
  t.equal(lines[10], 'passed over: 3 more')
  t.equal((JSON.parse(told.out()) as { passedOver: unknown[] }).passedOver.length, 13)
})

t.test('nothing found says what to install and offers the demo', async (t) => {
  const cwd = scratch(t)
  const io = terminal({ cwd, env: { HOME: cwd, PATH: cwd } })
  t.equal(await main(['init'], io), 2)
  t.match(io.err(), /no llama-server on PATH, and no GGUF file in .*models/)
  t.match(io.err(), /hint: install llama-server \(.*\), and put a GGUF file.*serve --demo/)
  const modelsOnly = terminal({ cwd: scratch(t, { models: { 'a.gguf': gguf() } }), env: { HOME: cwd, PATH: cwd } })
  t.equal(await main(['init'], modelsOnly), 2)
  t.notMatch(modelsOnly.err(), /GGUF/)
})
