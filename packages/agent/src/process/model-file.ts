import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { basename, isAbsolute, resolve } from 'node:path'

const OPTIONS = ['-m', '--model']
/** Behind these the path is one of another machine or of a container. */
const ELSEWHERE = new Set([
  'docker',
  'podman',
  'nerdctl',
  'apptainer',
  'singularity',
  'kubectl',
  'ssh',
  'wsl',
  'chroot',
])

const modelArgument = (args: readonly string[]): string | undefined => {
  for (const [at, arg] of args.entries()) {
    if (OPTIONS.includes(arg)) return args[at + 1]
    const option = OPTIONS.find((each) => arg.startsWith(`${each}=`))
    if (option !== undefined) return arg.slice(option.length + 1)
  }
  return undefined
}

/** Engines that take the name of a repository here must not be refused. */
const isLocalPath = (text: string): boolean =>
  !text.includes('://') && (isAbsolute(text) || /^\.{1,2}[/\\]/.test(text) || /\.gguf$/i.test(text))

/** What is wrong with the model file that the command names; undefined when nothing is, or nobody can tell. */
export const modelFileProblem = async (argv: readonly string[]): Promise<string | undefined> => {
  const named = modelArgument(argv)
  if (named === undefined || !isLocalPath(named)) return undefined
  if (argv.some((arg) => ELSEWHERE.has(basename(arg)))) return undefined
  const path = resolve(named)
  const isReadable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
  if (isReadable) return undefined
  const exists = (await stat(path).catch(() => undefined)) !== undefined
  return `the model file ${path} ${exists ? 'is not readable' : 'does not exist'}`
}
