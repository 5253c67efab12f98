import t from 'tap'
import { parseSize } from '../../src/config/sizes.ts'

t.test('a size is a number with a unit, or bytes', async (t) => {
  const cases: readonly (readonly [string | number, number | undefined])[] = [
    ['18GiB', 18 * 2 ** 30],
    ['18 GB', 18e9],
    ['512MiB', 512 * 2 ** 20],
    ['512 mb', 512e6],
    ['17.5 GiB', 17.5 * 2 ** 30],
    ['1tib', 2 ** 40],
    ['2 TB', 2e12],
    ['3KiB', 3072],
    ['3kB', 3000],
    ['77B', 77],
    [19_327_352_832, 19_327_352_832],
    ['19327352832', 19_327_352_832],
    [0, 0],
    ['', undefined],
    ['GiB', undefined],
    ['18G', undefined],
    ['18 Gib it', undefined],
    ['-1GiB', undefined],
    ['1e9', undefined],
    ['18  GiB', undefined],
    [1.5e300, undefined],
    ['999999999TiB', undefined],
  ]
  for (const [given, bytes] of cases) t.equal(parseSize(given), bytes, String(given))
})
