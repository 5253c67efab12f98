import t from 'tap'
import { commentsOf, readCommandLine, splitCommand } from '../../src/config/command-line.ts'
import { LswapError } from '../../src/errors/failure.ts'

const splits: readonly (readonly [string, string, readonly string[]])[] = [
  ['words', 'llama-server  --port\t9001', ['llama-server', '--port', '9001']],
  ['blanks around', '  a b \n', ['a', 'b']],
  ['line ends part words', 'a\nb\r\nc', ['a', 'b', 'c']],
  ['double quotes', 'a "b c" d', ['a', 'b c', 'd']],
  ['single quotes', "a 'b c' d", ['a', 'b c', 'd']],
  ['quotes inside of a word', `a --x="b c"'d'e`, ['a', '--x=b cde']],
  ['empty words', `a "" '' b`, ['a', '', '', 'b']],
  ['quotes in the other quotes', `a "it's" '"x"'`, ['a', "it's", '"x"']],
  ['JSON', `a '{"enable_thinking": false}' "{\\"b\\": 1}"`, ['a', '{"enable_thinking": false}', '{"b": 1}']],
  ['an escaped blank', String.raw`a b\ c`, ['a', 'b c']],
  ['escaped quotes', String.raw`a \"b\' c`, ['a', `"b'`, 'c']],
  ['an escaped backslash', String.raw`a b\\c`, ['a', String.raw`b\c`]],
  [
    'other backslashes stay',
    String.raw`C:\models\new.exe -m D:\a.gguf`,
    [String.raw`C:\models\new.exe`, '-m', String.raw`D:\a.gguf`],
  ],
  ['in double quotes a backslash escapes what a shell says', String.raw`a "\\ \" \$ \x"`, ['a', String.raw`\ " $ \x`]],
  ['in single quotes nothing is special', String.raw`a '\\ \" $x'`, ['a', String.raw`\\ \" $x`]],
  [
    'nothing is expanded',
    'a $HOME ~ *.gguf `b` ${PORT} | > & ;',
    ['a', '$HOME', '~', '*.gguf', '`b`', '${PORT}', '|', '>', '&', ';'],
  ],
  ['a backslash at a line end goes on', 'a \\\n  --b \\\n--c', ['a', '--b', '--c']],
  ['blanks behind it do not matter', 'a \\ \t\n b', ['a', 'b']],
  ['nor that it touches the word', 'a --b\\\n--c', ['a', '--b', '--c']],
  ['nor that it is the last', 'a b \\', ['a', 'b']],
  ['with line ends of Windows', 'a \\\r\n b', ['a', 'b']],
  ['in double quotes it joins', 'a "b\\\nc"', ['a', 'bc']],
  ['a line end in quotes stays', 'a "b\nc" \'d\ne\'', ['a', 'b\nc', 'd\ne']],
  ['comment lines', "# one\na\n  # don't mind the quote\nb", ['a', 'b']],
  ['a comment after a line that goes on', 'a \\\n# --off\n --b', ['a', '--b']],
  ['a comment as the last line', 'a\n# b', ['a']],
  ['no comment in the middle', 'a #b c#d', ['a', '#b', 'c#d']],
  ['no comment in quotes', 'a "b\n# c"', ['a', 'b\n# c']],
  ['other scripts', 'ä "モデル 🦙" ü', ['ä', 'モデル 🦙', 'ü']],
]

t.test('splits a command as a shell would', async (t) => {
  for (const [name, command, words] of splits) t.same(splitCommand(command), words, name)
})

const refused: readonly (readonly [string, string])[] = [
  ['', 'the command is empty'],
  [' \n ', 'the command is empty'],
  ['# only\n  # comments', 'the command is empty'],
  ['a "b', 'the quote " in line 1 of the command is not closed'],
  ["a\nb 'c", "the quote ' in line 2 of the command is not closed"],
  [String.raw`"C:\dir\"`, 'the quote " in line 1 of the command is not closed'],
  ['a\0b', 'a command can not hold a NUL character'],
]

t.test('says what is wrong with a command', async (t) => {
  for (const [command, message] of refused) {
    t.same(readCommandLine(command), { ok: false, message })
    t.throws(() => splitCommand(command), new LswapError({ code: 'invalid_config', message }))
  }
})

t.test('finds comment lines and no other #', async (t) => {
  const command = 'a "#\n# b" #c\n  # one\nd\n# two'
  t.same(
    commentsOf(command).map(([begin, end]) => command.slice(begin, end)),
    ['# one', '# two'],
  )
})
