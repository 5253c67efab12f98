import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { scratch } from '../../packages/core/dist/test/support/index.js'
import t from 'tap'
import { parseCommandLine } from '../../packages/cli/dist/src/commands/program.js'
import { root } from '../../scripts/lib/root.mjs'

const UNITS = ['lswap.service', 'lswap-agent.service']
const text = (name) => readFile(join(root, 'packaging', name), 'utf8')

/** What the program says against a command line. */
const complaint = async (argv) => {
  let said = ''
  const output = { write: (words) => ((said += words), true) }
  const parsed = await parseCommandLine(argv, { stdout: output, stderr: output, env: {}, cwd: root })
  return parsed.type === 'run' ? '' : said
}

const systemd = await execa('systemd-analyze', ['--version'], { reject: false })
const skip = systemd.failed && 'no systemd-analyze on this machine'

t.test('systemd takes the units, and sees them hardened', { skip }, async (t) => {
  const folder = scratch(t)
  for (const name of UNITS) {
    const file = join(folder, name)
    // It looks for the program as well
    await writeFile(file, (await text(name)).replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const { exitCode: code, stderr } = await execa('systemd-analyze', ['verify', file], { reject: false })
    t.same([code, stderr.split('\n').filter((line) => line.includes(name))], [0, []], name)
    const security = ['security', '--offline=true', '--threshold=40', file]
    const hardened = await execa('systemd-analyze', security, { reject: false })
    t.equal(hardened.exitCode, 0, `${name}: ${hardened.stdout.split('\n').at(-1)}`)
  }
})

t.test('the commands of units and container are such that lswap takes', async (t) => {
  const units = await Promise.all(UNITS.map(text))
  const started = units.map((unit) => /^ExecStart=\S*lswap (.+)$/m.exec(unit)[1].split(' '))
  const dockerfile = await text('Dockerfile')
  const inContainer = ['ENTRYPOINT', 'CMD'].map((word) =>
    JSON.parse(new RegExp(`^${word} (\\[.+\\])$`, 'm').exec(dockerfile)[1]),
  )
  t.equal(inContainer[0][0], 'lswap')
  for (const argv of [...started, [...inContainer[0].slice(1), ...inContainer[1]]]) {
    t.equal(await complaint(argv), '', argv.join(' '))
  }
})

t.test('a container has the address that its health is asked at', async (t) => {
  const dockerfile = await text('Dockerfile')
  t.match(dockerfile, /"--listen", "0\.0\.0\.0:8080"/)
  t.match(dockerfile, /^EXPOSE 8080$/m)
  t.match(dockerfile, /127\.0\.0\.1:8080\/health/)
})
