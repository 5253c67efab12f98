import t from 'tap'
import { parseCommandLine } from '../../src/commands/program.ts'
import { VERSION } from '../../src/version.ts'
import { terminal } from '../terminal.ts'

/** Every command that the help names. */
const commands = async (): Promise<readonly string[]> => {
  const io = terminal()
  await parseCommandLine(['--help'], io)
  const list = io.out().split('Commands:\n')[1]?.split('\n\n')[0] ?? ''
  return [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
}

t.test('--version and --help are answers, not mistakes', async (t) => {
  const io = terminal()
  t.same(await parseCommandLine(['--version'], io), { type: 'ended', exitCode: 0 })
  t.equal(io.out(), `${VERSION}\n`)
  t.same(await parseCommandLine(['--help'], io), { type: 'ended', exitCode: 0 })
  for (const argv of [['help', 'ps'], ['help'], ['help', '--help']]) {
    t.same(await parseCommandLine(argv, io), { type: 'ended', exitCode: 0 }, argv.join(' '))
  }
  t.equal(io.err(), '')
})

t.test('every command has help with examples that are commands of it', async (t) => {
  const names = await commands()
  t.ok(names.length >= 15, names.join(' '))
  for (const command of [...names, '__complete']) {
    const io = terminal()
    t.same(await parseCommandLine([command, '--help'], io), { type: 'ended', exitCode: 0 }, command)
    const examples = io.out().split('Examples:\n')[1]?.split('\n\n')[0]?.split('\n') ?? []
    t.ok(examples.length > 0, command)
    for (const line of examples.filter((text) => text !== '')) t.match(line, new RegExp(`^  lswap ${command}`))
  }
})

t.test('mistakes end with 2 and say on stderr where help is', async (t) => {
  const mistakes = [
    [],
    ['fly'],
    ['fly', '--help'],
    ['help', 'fly'],
    ['ps', 'extra'],
    ['ps', '--nope'],
    ['ps', '--color', 'mauve'],
    ['load'],
    ['explain', '1', '2'],
    ['pin'],
    ['unpin', 'a', 'b'],
    ['queue', 'extra'],
    ['logs', 'a', 'b'],
    ['completion'],
    ['completion', 'tcsh'],
    ['logs', '--tail', '-1'],
    ['logs', '--tail', 'many'],
    ['load', 'a', 'b'],
    ['load', 'a', '--timeout', '-1'],
    ['load', 'a', '--timeout', '1e3'],
    ['load', 'a', '--timeout', '86401'],
    ['load', 'a', '--timeout', ''],
    ['unload'],
    ['unload', 'a', '--all'],
    ['unload', 'a', '--force', '--timeout', '1'],
    ['serve', '--demo', '--config', 'x'],
    ['serve', '--log-format', 'xml'],
    ['simulate'],
    ['simulate', 't', '--policy', 'lifo'],
    ['simulate', 't', '--policy', 'fifo', '--compare'],
  ]
  for (const argv of mistakes) {
    const io = terminal()
    t.same(await parseCommandLine(argv, io), { type: 'ended', exitCode: 2 }, argv.join(' '))
    t.equal(io.out(), '', 'stdout is for data')
    t.match(io.err(), argv.length === 0 ? /Usage: lswap/ : /error: [\s\S]*hint: try `lswap( \w+)? --help`/)
  }
})

t.test('a slip of the keyboard is answered with what was probably meant', async (t) => {
  const io = terminal()
  await parseCommandLine(['unlaod', 'a'], io)
  t.match(io.err(), /Did you mean unload\?/)
  const help = terminal()
  await parseCommandLine(['help', 'unlaod'], help)
  t.match(help.err(), /unknown command 'unlaod'[^]*Did you mean unload\?/)
})

t.test('a command line that is understood becomes an invocation', async (t) => {
  const parsed = await parseCommandLine(['ps', '--json', '--color', 'never'], terminal())
  t.match(parsed, { type: 'run', invocation: { output: { json: true, color: 'never' }, interruptible: true } })
  const serve = await parseCommandLine(['serve'], terminal())
  t.match(serve, { type: 'run', invocation: { interruptible: false } }, 'serve deals with Ctrl-C itself')
})
