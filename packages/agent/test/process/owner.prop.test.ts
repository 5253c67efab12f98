import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { model, scriptCommand } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'
import { until } from './support/poll.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

// Says so in a file when an earlier process of the same model still lives.
const watchful = (dir: string): string => `
  const fs = require("fs")
  try { process.kill(Number(fs.readFileSync("${dir}/live", "utf8")), 0); fs.writeFileSync("${dir}/overlap", "") } catch {}
  fs.writeFileSync("${dir}/live", String(process.pid))
  require("http").createServer((_, answer) => answer.end()).listen(\${PORT}, "127.0.0.1")`

const STEPS = ['ready', 'stop', 'kill', 'leave', 'spawned', 'settle'] as const

t.test(
  'at most one process lives, and the last intent wins, whatever the order of start, stop and cancel',
  async (t) => {
    const root = scratch(t)
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 3, maxLength: 10 }), async (steps) => {
        run += 1
        const dir = join(root, String(run))
        await mkdir(dir)
        const { owner } = ownerOf(t, model('m', { cmd: scriptCommand(watchful(dir)) }))
        const wishes: AbortController[] = []
        const pending: Promise<unknown>[] = []
        let wanted = false
        for (const step of steps) {
          if (step === 'ready') {
            const wish = new AbortController()
            wishes.push(wish)
            pending.push(owner.ensureReady({ signal: wish.signal }))
            wanted = true
          } else if (step === 'stop' || step === 'kill') {
            pending.push(owner.ensureStopped({ drainMs: 0, failure: GONE, now: step === 'kill' }))
            wishes.length = 0
            wanted = false
          } else if (step === 'leave') {
            wishes.pop()?.abort()
          } else if (step === 'spawned') {
            if (wishes.length > 0) await until('it is spawned', () => owner.view().pid !== undefined)
          } else {
            await Promise.all(pending)
          }
        }
        const left = wishes.length > 0
        await Promise.all(pending)
        if (left) t.equal(owner.view().phase, 'ready', steps.join(' '))
        if (!wanted) t.ok(owner.isStopped(), steps.join(' '))
        t.same(await owner.ensureStopped({ drainMs: 0, failure: GONE, now: true }), { outcome: 'stopped' })
        t.notOk(existsSync(join(dir, 'overlap')), steps.join(' '))
      }),
      { numRuns: 15, endOnFailure: true },
    )
  },
)
