import { seededRandom } from '@lswap/core/test-support'
import t from 'tap'
import { chat } from '../chat.ts'
import { meddler, type Meddled } from './meddler.ts'
import { emptied, hear, inOrder, NO_PROCESS_TABLE, served, stage } from './stage.ts'

t.setTimeout(240_000)

const given = Number(process.env['LSWAP_PROP_SEED'])
const SEED = Number.isSafeInteger(given) && given > 0 ? given : 1
const MODELS = ['a', 'b', 'c']
const OPERATIONS = 30
/** Of an unload by hand, and of a model whose engine was just killed. */
const CLEAR: ReadonlySet<string> = new Set(['unloaded', 'upstream_died', 'upstream_unreachable', 'start_failed'])

/** It may have ended since it was seen. */
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

t.test('orders and events that come late, twice and in another order', { skip: NO_PROCESS_TABLE }, async (t) => {
  const random = seededRandom(SEED)
  t.comment(`LSWAP_PROP_SEED=${SEED}`)
  let meddled: Meddled | undefined
  const now = await stage(t, Object.fromEntries(MODELS.map((id) => [id, ''])), {
    via: async (port) => {
      meddled = await meddler(t, port, seededRandom(SEED + 1))
      return meddled.port
    },
  })
  const pick = (): string => MODELS[Math.floor(random() * MODELS.length)] ?? 'a'
  const asked: Promise<unknown>[] = []
  const asks = async (model: string): Promise<void> => {
    const heard = await hear(chat(now.router().url, model))
    if (!heard.isWhole) t.ok(CLEAR.has(heard.code ?? ''), `${model}: ${heard.status} ${heard.code} ${heard.text}`)
  }
  const unloads = async (model: string): Promise<void> => {
    const answer = await fetch(`${now.router().url}/api/models/unload/${model}`, { method: 'POST' })
    await answer.text()
  }
  for (let count = 0; count < OPERATIONS; count += 1) {
    const model = pick()
    const what = random()
    asked.push(asks(model))
    if (what < 0.15) {
      asked.push(unloads(model))
    } else if (what < 0.3) {
      const [engine] = await now.host.bench.running()
      if (engine !== undefined) kill(engine.pid)
    } else if (what < 0.7) await asked.at(-1)
  }
  await Promise.all(asked)
  t.comment(`${OPERATIONS} operations, ${JSON.stringify(meddled?.done)}`)
  for (const model of MODELS) {
    await served(t, now, model)
    await inOrder(t, now, [model])
  }
  await emptied(t, now)
  await now.end()
})
