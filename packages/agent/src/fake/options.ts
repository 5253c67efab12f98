// The switches of the simulated engine: llama-server's own where it acts on them, and those that make it misbehave.

const NUMBERS = {
  '--port': 'port',
  '--parallel': 'parallel',
  '-np': 'parallel',
  '--ctx-size': 'contextTokens',
  '-c': 'contextTokens',
  '--sse-ping-interval': 'pingSeconds',
  '--load-ms': 'loadMs',
  '--health-slow-ms': 'healthSlowMs',
  '--health-flap': 'healthFlap',
  '--exit-at-ms': 'exitAtMs',
  '--exit-code': 'exitCode',
  '--term-ms': 'termMs',
  '--tokens': 'tokens',
  '--tps': 'tokensPerSecond',
  '--first-token-ms': 'firstTokenMs',
  '--prefill-ms': 'prefillMs',
  '--linger-ms': 'lingerMs',
  '--crash-after-tokens': 'crashAfterTokens',
  '--cut-after-tokens': 'cutAfterTokens',
  '--split-bytes': 'splitBytes',
  '--idle-close-ms': 'idleCloseMs',
  '--log-rate': 'logRate',
  '--log-bytes': 'logBytes',
  '--status': 'status',
  '--vram-mb': 'vramMb',
  '--release-ms': 'releaseMs',
} as const

const TEXTS = {
  '--host': 'host',
  '--model': 'model',
  '-m': 'model',
  '--alias': 'alias',
  '-a': 'alias',
  '--api-key': 'key',
  '--require-key': 'key',
  '--pooling': 'pooling',
  '--journal': 'journal',
  '--crash-at': 'crashAt',
  '--gpu-file': 'gpuFile',
  '--role': 'role',
  '--speak': 'speak',
  '--slot-save-path': 'slotSavePath',
} as const

const FLAGS = {
  '--embeddings': 'embeddings',
  '--embedding': 'embeddings',
  '--metrics': 'metrics',
  '--kv-unified': 'unifiedCache',
  '-kvu': 'unifiedCache',
  '--no-slots': 'noSlots',
  '--no-listen': 'noListen',
  '--health-hang': 'healthHang',
  '--health-404': 'health404',
  '--ignore-sigterm': 'ignoreSigterm',
  '--fork-child': 'forkChild',
  '--wrapper': 'wrapper',
  '--echo': 'echo',
  '--oom': 'oom',
  '--restore-nothing': 'restoreNothing',
} as const

type NumberKey = (typeof NUMBERS)[keyof typeof NUMBERS]
type TextKey = (typeof TEXTS)[keyof typeof TEXTS]
type FlagKey = (typeof FLAGS)[keyof typeof FLAGS]

/** What the command line says; undefined: not given. */
export type FakeOptions = Readonly<
  Partial<Record<NumberKey, number>> & Partial<Record<TextKey, string>> & Partial<Record<FlagKey, boolean>>
>

export interface ParsedOptions {
  readonly options: FakeOptions
  /** Switches that are not known here, with their values; a real engine has hundreds. */
  readonly ignored: readonly string[]
}

/** Throws an Error with a sentence when a value is missing or of the wrong kind. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  const options: Record<string, number | string | boolean> = {}
  const ignored: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const name = args[index] ?? ''
    if (name in FLAGS) {
      options[FLAGS[name as keyof typeof FLAGS]] = true
    } else if (name in NUMBERS) {
      options[NUMBERS[name as keyof typeof NUMBERS]] = numberAfter(name, args[(index += 1)])
    } else if (name in TEXTS) {
      options[TEXTS[name as keyof typeof TEXTS]] = textAfter(name, args[(index += 1)])
    } else {
      ignored.push(name)
      if (isValue(args[index + 1])) ignored.push(args[(index += 1)] ?? '')
    }
  }
  return { options: checkChoices(options), ignored }
}

function textAfter(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`error while handling argument "${name}": expected value for argument`)
  return value
}

function numberAfter(name: string, value: string | undefined): number {
  const number = Number(textAfter(name, value))
  if (!Number.isFinite(number)) throw new Error(`error while handling argument "${name}": "${value}" is not a number`)
  return number
}

// A negative number after an unknown switch is its value (`--seed -1`), another switch is not.
function isValue(next: string | undefined): boolean {
  return next !== undefined && (!next.startsWith('-') || /^-\d/.test(next))
}

function checkChoices(options: FakeOptions): FakeOptions {
  if (options.crashAt !== undefined && options.crashAt !== 'load' && options.crashAt !== 'idle') {
    throw new Error('error while handling argument "--crash-at": load or idle')
  }
  if (options.vramMb !== undefined && options.gpuFile === undefined) {
    throw new Error('error while handling argument "--vram-mb": it needs --gpu-file')
  }
  return options
}
