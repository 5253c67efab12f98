import * as fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import t from 'tap'
import { addHistogram, Distribution } from '../../../src/router/metrics/distribution.ts'
import { SECONDS } from '../../../src/router/metrics/seconds.ts'

const about = { name: 'test_seconds', help: 'A test.' }

const seconds = fc.oneof(fc.constantFrom(0, ...SECONDS, 901), fc.double({ min: 0, max: 2_000, noNaN: true }))
const observed = fc.array(fc.record({ model: fc.constantFrom('a', 'b "quoted"'), seconds }), { maxLength: 60 })

t.test('the page has what prom-client itself would have counted', async (t) => {
  await t.resolves(
    fc.assert(
      fc.asyncProperty(observed, async (all) => {
        const [theirs, ours] = [new Registry(), new Registry()]
        const histogram = new Histogram({ ...about, labelNames: ['model'], buckets: SECONDS, registers: [theirs] })
        const models = new Map<string, Distribution>()
        addHistogram({
          ...about,
          registry: ours,
          series: () => [...models].map(([model, distribution]) => [{ model }, distribution] as const),
        })
        for (const { model, seconds: took } of all) {
          histogram.observe({ model }, took)
          const distribution = models.get(model) ?? new Distribution()
          distribution.add(took)
          models.set(model, distribution)
        }
        const [wanted, found] = await Promise.all([theirs.metrics(), ours.metrics()])
        if (wanted !== found) throw new Error(`${found} instead of ${wanted}`)
      }),
    ),
  )
})
