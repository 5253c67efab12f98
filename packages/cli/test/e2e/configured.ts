import { randomInt } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import type { Test } from 'tap'
import { type Ended, run } from './command.ts'
import { type Journal, journal } from './journal.ts'
import { FAKE_ENGINE } from './programs.ts'
import { serving } from './serving.ts'

export interface Configured {
  readonly url: string
  readonly journal: Journal
  readonly lswap: (...argv: readonly string[]) => Promise<Ended>
  readonly stderr: () => string
  /** What the stand-in for docker was told, a line a call. */
  readonly docker: () => readonly string[]
  /** Models that have a process, by id. */
  readonly running: () => Promise<readonly string[]>
}

const NODE = `"${process.execPath}" "${FAKE_ENGINE}"`

/** Programs of other people, as far as configurations use them; the simulated engine is inside of each. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'llama-server': `#!/bin/sh\nexec ${NODE} --journal "$JOURNAL" "$@"\n`,
  vllm: `#!/bin/sh\nshift\nexec ${NODE} --journal "$JOURNAL" --echo "$@"\n`,
  // A container does not end with the client that started it, only when it is stopped
  docker: `#!/bin/sh
echo "$*" >> "$DOCKER_LOG"
if [ "$1" = stop ]; then
  for name; do :; done
  kill -TERM "$(cat "$DOCKER_LOG.$name")"
  exit
fi
while [ "$1" != ghcr.io/ggml-org/llama.cpp:server-cuda ]; do
  case "$1" in --name) name=$2;; -p) ports=$2;; esac
  shift
done
shift
port=\${ports%:*}
port=\${port#*:}
trap '' TERM INT HUP
${NODE} --journal "$JOURNAL" --port "$port" "$@" &
echo $! > "$DOCKER_LOG.$name"
wait $!
`,
}

/** Serves one of the configurations beside this file, with stand-ins for what it starts. */
export const configured = async (t: Test, name: string): Promise<Configured> => {
  const folder = scratch(t)
  mkdirSync(join(folder, 'bin'))
  for (const [program, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, 'bin', program), script)
    chmodSync(join(folder, 'bin', program), 0o755)
  }
  const file = new URL(`../../../test/e2e/configs/${name}.yaml`, import.meta.url)
  const models = join(folder, 'models')
  const text = readFileSync(file, 'utf8').replaceAll(/\/(?:srv\/gguf|nvme)\//g, `${models}/`)
  writeFileSync(join(folder, 'config.yaml'), text)
  // A model whose file is missing is not started
  mkdirSync(models)
  for (const [, model = ''] of text.matchAll(/([^/\n]+\.gguf)/g)) writeFileSync(join(models, model), '')
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    LSWAP_STATE_DIR: join(folder, 'state'),
    JOURNAL: join(folder, 'journal.ndjson'),
    DOCKER_LOG: join(folder, 'docker.log'),
    MODEL_ROOT: models,
    START_PORT: String(randomInt(10_000, 31_000)),
  }
  const book = journal(env.JOURNAL)
  const { url, stderr } = await serving(t, { argv: ['--log-format', 'json'], cwd: folder, env, journal: book })
  const lswap: Configured['lswap'] = (...argv) => run(argv, { cwd: folder, env: { LSWAP_URL: url } })
  return {
    url,
    journal: book,
    lswap,
    stderr,
    docker: () => readFileSync(env.DOCKER_LOG, 'utf8').trim().split('\n'),
    running: async () => {
      const { running } = JSON.parse((await lswap('ps', '--json')).stdout) as {
        running: { model: string; state: string }[]
      }
      return running
        .filter(({ state }) => state === 'ready')
        .map(({ model }) => model)
        .toSorted()
    },
  }
}
