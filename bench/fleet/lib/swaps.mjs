import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { delimiter, join } from 'node:path'
import { root } from '../../../scripts/lib/root.mjs'
import { askModel } from '../../swap/lib/ask.mjs'
import { createDirect } from '../../swap/lib/direct.mjs'
import { startAgents, startProgram, startRouter } from './programs.mjs'

const IDS = ['a', 'b']
const WARM_UP = 4
const GPU_MB = 100
const MODEL_MB = 60

const argvOf = (id, more = []) => [
  process.execPath,
  join(root, 'packages/cli/bundle/fake-llama.js'),
  '--load-ms',
  '50',
  '--tokens',
  '4',
  '--port',
  '${PORT}',
  '--alias',
  id,
  ...more,
]

const modelsYaml = (more = [], perModel = '') =>
  `models:\n${IDS.map(
    (id) =>
      `  ${id}:\n    cmd: ${JSON.stringify(
        argvOf(id, more)
          .map((word) => `"${word}"`)
          .join(' '),
      )}\n${perModel}`,
  ).join('')}`

const EXCLUSIVE = 'routing: { router: { use: exclusive } }\n'

/** Milliseconds that each round's swap takes longer through an agent in a process of its own than through the one in the router. */
export async function overRpc({ folder, swaps }) {
  const own = await startProgram({
    folder: join(folder, 'own'),
    command: 'serve',
    yaml: `startPort: 13000\n${modelsYaml()}${EXCLUSIVE}`,
  })
  const agents = await startAgents({ folder, names: ['h0'], yaml: modelsYaml() })
  const router = await startRouter({
    folder: join(folder, 'router'),
    dialled: [...agents],
    models: IDS,
    more: EXCLUSIVE,
  })
  try {
    return await inTurn(swaps, swapper(own), swapper(router))
  } finally {
    await Promise.all([own.close(), router.close()])
    await agents.get('h0').close()
  }
}

/** The same for a swap that has to wait for a device's memory, which is free at once, beside the engine driven directly. */
export async function withDevices({ folder, swaps }) {
  const [gpu, other] = [join(folder, 'gpu.json'), join(folder, 'direct-gpu.json')]
  const tools = join(folder, 'tools')
  await mkdir(tools, { recursive: true })
  for (const file of [gpu, other]) await writeFile(file, JSON.stringify({ totalMb: GPU_MB, holders: [] }))
  await writeFile(join(tools, 'nvidia-smi'), standIn(gpu))
  await chmod(join(tools, 'nvidia-smi'), 0o755)
  const use = (file) => ['--gpu-file', file, '--vram-mb', String(MODEL_MB)]
  const lswap = await startProgram({
    folder: join(folder, 'devices'),
    command: 'serve',
    yaml: `startPort: 14100\n${modelsYaml(use(gpu), `    memory: { gpu0: ${MODEL_MB}MiB }\n`)}${EXCLUSIVE}`,
    env: { PATH: tools + delimiter + process.env.PATH },
  })
  const direct = await createDirect({ models: IDS.map((id) => ({ id, argv: argvOf(id, use(other)) })) })
  try {
    return await inTurn(swaps, async (at) => (await direct.swapTo(at)).total, swapper(lswap))
  } finally {
    await Promise.all([direct.close(), lswap.close()])
  }
}

/** Says what the engines' own book says, when it is asked. */
const standIn = (gpu) => `#!/bin/sh
look() {
  awk -v RS='{' '/"mb":/ && !/endedAt/ { match($0, /"mb":[0-9]+/); used += substr($0, RSTART + 5, RLENGTH - 5) } END { printf "0, GPU-a, ${GPU_MB}, %d, 0, 30, 10, Stand-in\\n", used }' '${gpu}'
}
case "$*" in
  *compute-apps*) ;;
  *loop*) while look; do sleep 1; done ;;
  *) look ;;
esac
`

const swapper = ({ port }) => {
  const agent = new Agent({ keepAlive: true })
  return (at) => askModel({ port, agent, model: IDS[at] })
}

/** How much longer the second takes, round by round, each first as often as the other. */
async function inTurn(swaps, base, other) {
  await base(1)
  await other(1)
  const differences = []
  for (let round = 0; round < swaps + WARM_UP; round += 1) {
    const to = round % 2
    const early = round % 4 < 2 ? await base(to) : undefined
    const took = await other(to)
    const alone = early ?? (await base(to))
    if (round >= WARM_UP) differences.push(took - alone)
  }
  return differences
}
