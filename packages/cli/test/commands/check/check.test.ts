import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { main } from '../../../src/main.ts'
import { terminal } from '../../terminal.ts'

const GOOD = 'models: { a: { cmd: "x ${PORT}" } }\n'

t.test('a good file ends with 0 and says how many models it has', async (t) => {
  const io = terminal({ cwd: scratch(t, { 'lswap.yaml': GOOD }) })
  t.equal(await main(['check'], io), 0)
  t.equal(io.out(), '')
  t.equal(io.err(), 'lswap.yaml: good, 1 model\n')
})

t.test('every mistake is a line on stdout, and the end is 2; warnings alone end with 0', async (t) => {
  const cwd = scratch(t, {
    'bad.yaml': `${GOOD}startport: 1\nlogLevel: lod\nstore: {}\n`,
    'odd.yaml': `${GOOD}store: {}\n`,
  })
  const bad = terminal({ cwd })
  t.equal(await main(['check', 'bad.yaml'], bad), 2)
  t.match(bad.out().split('\n'), [
    'bad.yaml:2:1: error: startport: unknown key "startport" (did you mean startPort?)',
    /^bad\.yaml:3:11: error: logLevel: expected one of debug, info, warn, error, found the text "lod"/,
    /^bad\.yaml:4:1: warning: store: /,
  ])
  t.equal(bad.err(), 'bad.yaml: 2 errors, 1 warning\n')
  const odd = terminal({ cwd })
  t.equal(await main(['check', '--config', 'odd.yaml'], odd), 0)
  t.equal(odd.err(), 'odd.yaml: good, 1 model, 1 warning\n')
})

t.test('--json has each place as a range, for editors', async (t) => {
  const cwd = scratch(t, { d: { 'a.yaml': GOOD, 'b.yaml': 'logLevel: "lod"\n' } })
  const io = terminal({ cwd })
  t.equal(await main(['check', '--config-dir', 'd', '--json'], io), 2)
  t.same(JSON.parse(io.out()), {
    ok: false,
    files: ['d/a.yaml', 'd/b.yaml'],
    issues: [
      {
        severity: 'error',
        file: 'd/b.yaml',
        range: { start: { line: 1, column: 11 }, end: { line: 1, column: 16 } },
        path: 'logLevel',
        message: 'expected one of debug, info, warn, error, found the text "lod"',
        suggestion: null,
      },
    ],
  })
  const good = terminal({ cwd })
  t.equal(await main(['check', 'd/a.yaml', '--json'], good), 0)
  t.same(JSON.parse(good.out()), { ok: true, files: ['d/a.yaml'], models: ['a'], issues: [] })
})

t.test('another encoding has its place like any mistake; a file that is not there ends with 2', async (t) => {
  const cwd = scratch(t, { 'latin.yaml': Buffer.from(`${GOOD}# caf\xe9\n`, 'latin1') })
  const io = terminal({ cwd })
  t.equal(await main(['check', 'latin.yaml'], io), 2)
  t.match(io.out(), /^latin\.yaml:2:6: error: this is not UTF-8/)
  const gone = terminal({ cwd })
  t.equal(await main(['check', 'gone.yaml', '--json'], gone), 2)
  t.match(JSON.parse(gone.out()), { error: { code: 'invalid_config', message: /gone\.yaml.*does not exist/ } })
})
