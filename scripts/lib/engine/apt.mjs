// apt with a sources list, lists and cache of its own: nothing of the machine's packages is read or changed, no root
// is needed, and signatures are verified as for the machine's own sources.

import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NoEngine } from './no-engine.mjs'
import { run } from './run.mjs'

const unreachable =
  /Could not (?:resolve|connect)|Temporary failure|Unable to connect|Cannot initiate|Connection (?:failed|timed out|refused)|is unreachable|Undetermined Error|50[234] +[A-Z]/i

/** An apt that sees one suite of the machine's own Debian site, in a folder that the caller removes. */
export async function openApt(folder, suite) {
  const { site, keyring } = await ownSource()
  const lists = join(folder, 'lists')
  const sources = join(folder, 'sources.list')
  await mkdir(join(lists, 'partial'), { recursive: true })
  await mkdir(join(folder, 'cache/archives/partial'), { recursive: true })
  const signed = keyring === undefined ? '' : ` signed-by=${keyring}`
  await writeFile(sources, `deb [target=Packages${signed}] ${site} ${suite} main\n`)
  const settings = {
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': lists,
    'Dir::Cache': join(folder, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '15',
    'Acquire::https::Timeout': '15',
    // Without it an index that could not be had is a warning, and the update a success.
    'APT::Update::Error-Mode': 'any',
    // As root apt reads and writes as another user, who may not enter this folder.
    'APT::Sandbox::User': '',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])

  return async function apt(program, args, { timeoutMs, cwd = folder }) {
    const ran = await run(program, [...options, ...args], { timeoutMs, cwd })
    if (ran.code === 0) return ran.stdout
    const what = `${program} ${args[0]}`
    if (ran.timedOut) throw new NoEngine('offline', `${what}: no answer from ${site} within ${timeoutMs / 1000} s`)
    const said = complaint(ran.stderr)
    throw new NoEngine(unreachable.test(ran.stderr) ? 'offline' : 'unavailable', `${what}: ${said}`)
  }
}

/** Site and keyring that the machine itself takes Debian's packages from. */
async function ownSource() {
  const release = await osRelease()
  if (release.ID !== 'debian') {
    throw new NoEngine('unavailable', `ready-made packages are known for Debian, and this is ${release.PRETTY_NAME}`)
  }
  const { stdout } = await run('apt-get', ['indextargets', 'Identifier: Packages'], { timeoutMs: 20_000 })
  const targets = stdout.split('\n\n').map(readFields)
  const target =
    targets.find((one) => one.Release === release.VERSION_CODENAME && one.Component === 'main') ??
    targets.find((one) => one.Origin === 'Debian' && one.Component === 'main')
  if (target?.Site === undefined) throw new NoEngine('unavailable', 'apt has no source of Debian packages configured')
  return { site: target.Site, keyring: await keyringOf(target) }
}

async function osRelease() {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const pairs = [...text.matchAll(/^(\w+)="?(.*?)"?$/gm)].map(([, name, value]) => [name, value])
  return { PRETTY_NAME: 'another system', ...Object.fromEntries(pairs) }
}

function readFields(stanza) {
  return Object.fromEntries([...stanza.matchAll(/^([\w-]+): *(.*)$/gm)].map(([, name, value]) => [name, value]))
}

/** The keyring named where the source is configured; else Debian's own; undefined: those that apt trusts anyway. */
async function keyringOf({ Sourcesentry: entry = '', Site: site }) {
  const [, file, number] = /^(.*):(\d+)$/.exec(entry) ?? []
  const text = file === undefined ? '' : await readFile(file, 'utf8').catch(() => '')
  const part = file?.endsWith('.sources')
    ? text.split(/\n\s*\n/).find((stanza) => stanza.includes(site))
    : text.split('\n')[Number(number) - 1]
  const named = /signed-by[:=] *(\/[^\s\],]+)/i.exec(part ?? '')?.[1]
  return named ?? debianKeyrings.find((path) => existsSync(path))
}

const debianKeyrings = ['gpg', 'pgp'].map((form) => `/usr/share/keyrings/debian-archive-keyring.${form}`)

function complaint(stderr) {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  return (lines.find((line) => line.startsWith('E:')) ?? lines.at(-1) ?? 'failed').replace(/^E: */, '')
}
