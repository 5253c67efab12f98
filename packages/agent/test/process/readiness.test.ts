import t from 'tap'
import type { Probe, ProbeResult, Prober } from '../../src/process/probe.ts'
import { watchReadiness } from '../../src/process/readiness.ts'

interface ScriptedProber extends Prober {
  readonly starts: number[]
  open: number
  mostOpen: number
}

/** Answers the nth probe with `answer(n)`; undefined: never. */
const scripted = (answer: (probe: number) => ProbeResult | undefined): ScriptedProber => {
  const prober: ScriptedProber = {
    url: 'http://engine/health',
    starts: [],
    open: 0,
    mostOpen: 0,
    start(): Probe {
      prober.starts.push(performance.now())
      prober.open += 1
      prober.mostOpen = Math.max(prober.mostOpen, prober.open)
      const found = answer(prober.starts.length)
      const close = (): void => {
        prober.open -= 1
      }
      if (found === undefined) return { result: new Promise(() => {}), cancel: close }
      return { result: Promise.resolve(found).finally(close), cancel: () => {} }
    },
  }
  return prober
}

const shortestGap = ({ starts }: ScriptedProber): number =>
  Math.min(...starts.slice(1).map((start, at) => start - (starts[at] ?? 0)))

const LOADING: ProbeResult = { ready: false, detail: 'status 503' }
const READY: ProbeResult = { ready: true, detail: 'status 200' }
const never = new AbortController().signal

t.test('asks again until the engine is ready, one probe at a time and not too often', async (t) => {
  const prober = scripted((probe) => (probe < 6 ? LOADING : READY))
  t.same(await watchReadiness({ prober, limitMs: 5_000, signal: never }).result, { outcome: 'ready' })
  t.equal(prober.starts.length, 6)
  t.equal(prober.mostOpen, 1)
  // Timers may fire a millisecond early.
  t.ok(shortestGap(prober) >= 3.9, `${shortestGap(prober)} ms`)
})

t.test('the deadline holds while a probe hangs', async (t) => {
  const prober = scripted((probe) => (probe === 1 ? LOADING : undefined))
  const began = performance.now()
  const result = await watchReadiness({ prober, limitMs: 60, signal: never }).result
  t.ok(performance.now() - began < 60_000)
  t.match(result, { outcome: 'timeout', detail: /status 503.*open/ })
  t.equal(prober.open, 0, 'the hanging probe was cancelled')
})

t.test('the deadline names the last answer', async (t) => {
  const prober = scripted(() => ({ ready: false, detail: 'status 404' }))
  t.same(await watchReadiness({ prober, limitMs: 30, signal: never }).result, {
    outcome: 'timeout',
    detail: 'status 404',
  })
})

t.test('ends at once when it is cancelled, before or during', async (t) => {
  const controller = new AbortController()
  const watch = watchReadiness({ prober: scripted(() => undefined), limitMs: 60_000, signal: controller.signal })
  controller.abort()
  t.same(await watch.result, { outcome: 'cancelled' })
  const late = scripted(() => READY)
  t.same(await watchReadiness({ prober: late, limitMs: 60_000, signal: controller.signal }).result, {
    outcome: 'cancelled',
  })
  t.equal(late.starts.length, 0)
})

t.test('a line of output brings the next probe forward', async (t) => {
  const prober = scripted((probe) => (probe < 200 ? LOADING : READY))
  const watch = watchReadiness({ prober, limitMs: 20_000, signal: never })
  const hints = setInterval(() => watch.hint(), 1)
  t.teardown(() => clearInterval(hints))
  t.same(await watch.result, { outcome: 'ready' })
  t.ok(shortestGap(prober) < 3.5, `${shortestGap(prober)} ms`)
})
