import { bashScript } from './bash.ts'
import type { Shell } from './command.ts'
import { fishScript } from './fish.ts'
import type { CommandSpec } from './spec.ts'
import { zshScript } from './zsh.ts'

const SCRIPTS: Readonly<Record<Shell, (spec: readonly CommandSpec[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

export const completionScript = (shell: Shell, spec: readonly CommandSpec[]): string => SCRIPTS[shell](spec)
