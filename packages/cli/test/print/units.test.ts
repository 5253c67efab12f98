import t from 'tap'
import { bytes, duration, fineDuration } from '../../src/print/units.ts'

t.test('sizes have three digits at most', (t) => {
  const cases: readonly [number, string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 KiB'],
    [1536, '1.5 KiB'],
    [10 * 1024, '10 KiB'],
    [999 * 1024 * 1024, '999 MiB'],
    [1_000 * 1024 * 1024, '1.0 GiB'],
    [24 * 1024 ** 3, '24 GiB'],
    [9.96 * 1024 ** 3, '10 GiB'],
    [5_000 * 1024 ** 4, '5000 TiB'],
  ]
  for (const [count, text] of cases) t.equal(bytes(count), text)
  t.end()
})

t.test('durations have two figures at most and never show 60 of anything', (t) => {
  const cases: readonly [number, string][] = [
    [-5, '0.0 s'],
    [412, '0.4 s'],
    [9_949, '9.9 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [59_600, '1m 0s'],
    [200_000, '3m 20s'],
    [3_599_600, '1h 0m'],
    [18_120_000, '5h 2m'],
    [86_399_999, '1d 0h'],
    [273_600_000, '3d 4h'],
  ]
  for (const [ms, text] of cases) t.equal(duration(ms), text)
  t.end()
})

t.test('what is looked at closely is told in milliseconds where tenths of a second would be nothing', (t) => {
  const cases: readonly [number, string][] = [
    [-5, '0 ms'],
    [0.4, '0 ms'],
    [99.4, '99 ms'],
    [99.5, '0.1 s'],
    [9_960, '10 s'],
  ]
  for (const [ms, text] of cases) t.equal(fineDuration(ms), text)
  t.end()
})
