import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ColorChoice } from '../print/style.ts'
import type { OutputChoice } from './invocation.ts'

export interface RouterFlags {
  readonly url?: string
  readonly keyFile?: string
  readonly caFile?: string
}

export interface OutputFlags {
  readonly json?: true
  readonly color: ColorChoice
}

/** Of what runs until it is stopped. */
export interface LogFlags {
  readonly logFormat?: 'pretty' | 'json'
}

const urlFlag = (): Option =>
  new Option('--url <url>', 'address or port of the router (default: $LSWAP_URL, else http://127.0.0.1:8080)')

const keyFileFlag = (): Option =>
  new Option('--key-file <file>', 'file that holds the API key (default: $LSWAP_KEY_FILE, else no key)')

const caFileFlag = (): Option =>
  new Option(
    '--ca-file <file>',
    'certificate that the router is trusted by (default: $LSWAP_CA_FILE, else as Node is told)',
  )

export const jsonFlag = (): Option => new Option('--json', 'print one JSON document instead of text')

export const colorFlag = (): Option =>
  new Option('--color <when>', 'colour the output').choices(['auto', 'always', 'never']).default('auto')

/** How a command that takes `--json` prints its result. */
export const outputOf = ({ json, color }: OutputFlags): OutputChoice => ({ json: json === true, color })

/** A command that asks a router: it takes which one that is, and how to print what comes of it. */
export const withRouterFlags = (command: Command): Command =>
  command
    .addOption(jsonFlag())
    .addOption(urlFlag())
    .addOption(keyFileFlag())
    .addOption(caFileFlag())
    .addOption(colorFlag())

export const logFormatFlag = (): Option =>
  new Option('--log-format <format>', 'format of the log on stderr (default: pretty on a terminal, else json)').choices(
    ['pretty', 'json'],
  )

/** The router tells no more at once. */
const MAX_LIMIT = 2_000

const count = (text: string): number => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= MAX_LIMIT)) throw new InvalidArgumentError(`Give a number from 0 to ${MAX_LIMIT}.`)
  return value
}

export const limitFlag = (usual: number): Option =>
  new Option('--limit <count>', 'show at most so many').argParser(count).default(usual)

/** A day: longer waits are a slip of the keyboard, and timers beyond 24 days fire at once. */
const MAX_SECONDS = 86_400

/** Seconds, fractions allowed, as milliseconds. */
export const seconds = (text: string): number => {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= MAX_SECONDS)) throw new InvalidArgumentError(`Give seconds from 0 to ${MAX_SECONDS}.`)
  return Math.round(value * 1000)
}

/** Lines under "Examples:" at the end of a command's help. */
export const examples = (lines: readonly (readonly [command: string, meaning: string])[]): string => {
  const width = Math.max(...lines.map(([command]) => command.length))
  return `\nExamples:\n${lines.map(([command, meaning]) => `  ${command.padEnd(width)}  ${meaning}`).join('\n')}`
}
