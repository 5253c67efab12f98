import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { parseCommandLine } from '../../packages/cli/dist/src/commands/program.js'
import { configJsonSchema } from '../../packages/core/dist/src/config/describe/json-schema.js'
import { ERRORS, formatIssue, readConfigFiles } from '../../packages/core/dist/src/index.js'
import { anchors, codeBlocks, codeSpans, documents, localLinks, lswapCommands } from '../../scripts/lib/documents.mjs'
import { leafKeys } from '../../scripts/lib/leaf-keys.mjs'
import { root } from '../../scripts/lib/root.mjs'

const pages = await documents()
const readKeyFile = () => ({ ok: true, text: 'a-key-of-a-file\n' })

/** What the program says against a command line; empty: nothing. */
const complaint = async (argv) => {
  let said = ''
  const output = { write: (text) => ((said += text), true) }
  const parsed = await parseCommandLine(argv, { stdout: output, stderr: output, env: {}, cwd: root })
  return parsed.type === 'run' || parsed.exitCode === 0 ? '' : said
}

t.test('every lswap command of a document is one that the program takes', async (t) => {
  let count = 0
  for (const { name, text } of pages) {
    for (const block of codeBlocks(text)) {
      for (const argv of lswapCommands(block)) {
        count += 1
        t.equal(await complaint(argv), '', `${name}:${block.line}: lswap ${argv.join(' ')}`)
      }
    }
  }
  t.ok(count > 20, `${count} commands`)
})

t.test('the words of a command in running text exist, too', async (t) => {
  const spans = pages.flatMap(({ name, text }) => codeSpans(text).map((span) => ({ name, span })))
  const commands = spans.filter(({ span }) => /^lswap [a-z]/.test(span))
  t.ok(commands.length > 40, `${commands.length} commands`)
  for (const { name, span } of commands) {
    const [words = []] = lswapCommands({ language: 'sh', code: span })
    // What it needs besides is not named in a sentence; what it does not know is
    t.notMatch(await complaint(words), /unknown (?:command|option)|too many/, `${name}: ${span}`)
  }
})

t.test('a command that does not exist would be noticed', async (t) => {
  const block = {
    language: 'sh',
    code: 'LSWAP_URL=http://x lswap serv --watch | tee log # why\nkill $(lswap ps --pid)\n',
  }
  const commands = lswapCommands(block)
  t.same(commands, [
    ['serv', '--watch'],
    ['ps', '--pid'],
  ])
  t.match(await complaint(commands[0]), /unknown command/)
  t.match(await complaint(commands[1]), /unknown option/)
})

/** A part of a file may stand alone, and its models may stand in another part. */
const OF_PARTS = /no models are configured|there is no model|no model has the id|cmd: nothing says where/

t.test('every configuration of a document is read without an error', async (t) => {
  let count = 0
  for (const { name, text } of pages) {
    for (const { language, code, line } of codeBlocks(text)) {
      if (language !== 'yaml') continue
      count += 1
      const used = [...code.matchAll(/\$\{env\.(\w+)\}/g)].map(([, variable]) => [variable, `value-of-${variable}`])
      const env = Object.fromEntries(used)
      const reading = readConfigFiles([{ file: name, text: code }], { env, readKeyFile })
      const errors = reading.ok ? [] : reading.issues.filter(({ severity }) => severity === 'error').map(formatIssue)
      t.same(
        errors.filter((issue) => !OF_PARTS.test(issue)),
        [],
        `${name}:${line}`,
      )
    }
  }
  t.ok(count > 5, `${count} configurations`)
})

t.test('every link leads to a file, and to a heading that is there', async (t) => {
  for (const { name, text } of pages) {
    for (const target of localLinks(text)) {
      const [path, place] = target.split('#')
      const file = path === '' ? name : join(dirname(name), path)
      await t.resolves(access(join(root, file)), `${name} -> ${target}`)
      if (place === undefined || !file.endsWith('.md')) continue
      t.ok(anchors(await readFile(join(root, file), 'utf8')).has(place), `${name} -> ${target}: the heading`)
    }
  }
})

t.test('the README names every page of docs/', async (t) => {
  const readme = pages.find(({ name }) => name === 'README.md')
  const links = new Set(localLinks(readme.text))
  for (const { name } of pages.filter(({ name: page }) => page.startsWith('docs/'))) t.ok(links.has(name), name)
})

t.test('troubleshooting knows every error', async (t) => {
  const { text } = pages.find(({ name }) => name === 'docs/troubleshooting.md')
  for (const code of Object.keys(ERRORS)) t.ok(text.includes(`[\`${code}\`](errors.md)`), code)
})

t.test('the page for who comes from llama-swap has each of its keys once, and says which do nothing', async (t) => {
  const { text } = pages.find(({ name }) => name === 'docs/coming-from-llama-swap.md')
  const rows = [...text.matchAll(/^\| (`[^|]+`) +\| (same|differs|no effect) +\|/gm)].flatMap(([, keys, state]) =>
    [...keys.matchAll(/`([^`]+)`/g)].map(([, key]) => ({ key, state })),
  )
  const file = join(root, 'packages/core/test/config/vectors/llama-swap-keys.yaml')
  const everyKey = await readFile(file, 'utf8')
  const keys = leafKeys(parse(everyKey), configJsonSchema()).map((key) => key.replace(/(?:\.\*)+$/, ''))
  const named = rows.map(({ key }) => key)
  t.same(new Set(named), new Set(keys))
  t.equal(named.length, keys.length, 'each once')
  const { warnings } = readConfigFiles([{ file: 'every-key', text: everyKey }], { env: { HOME: '/home/me' } })
  // The matrix has none beside groups, which the row says
  const idle = warnings.map(({ path }) => path.replace('models.big', 'models.*')).filter((path) => !/matrix/.test(path))
  const isIdle = (key) => idle.some((path) => key === path || key.startsWith(`${path}.`))
  for (const { key, state } of rows) t.equal(state === 'no effect', isIdle(key), `${key}: ${state}`)
})
