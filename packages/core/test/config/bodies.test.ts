import t from 'tap'
import { configOf, issuesOf, withModel } from './reading.ts'

t.test('bounds on bodies are sizes, and what is not given is left to the router', async (t) => {
  t.same(configOf(withModel('')).bodies, {})
  const text = withModel('maxBodyBytes: 1000\nmaxUploadBytes: 8 GiB\nwaitingBodyMemory: 1.5MiB\nwaitingBodyDisk: 1kB')
  t.same(configOf(text).bodies, {
    maxBodyBytes: 1000,
    maxUploadBytes: 8 * 2 ** 30,
    waitingBodyMemory: 1.5 * 2 ** 20,
    waitingBodyDisk: 1000,
  })
  t.same(issuesOf(text), [])
})

t.test('a bound that lets nothing through, or is none, is a mistake at its place', async (t) => {
  for (const [given, found] of [
    ['0', 'the number 0'],
    ['many', 'the text "many"'],
    ['-1', 'the number -1'],
  ] as const) {
    t.same(issuesOf(withModel(`maxBodyBytes: ${given}`)), [
      `1:15: error: maxBodyBytes: expected a size of 1 byte or more, like 256MiB or 4GiB, found ${found}`,
    ])
  }
})
