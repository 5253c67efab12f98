import t from 'tap'
import { LswapError } from '../../src/errors/failure.ts'
import { createPicker, PICKER_NAMES } from '../../src/pick/create.ts'
import { scripted } from './fixtures.ts'

const options = { random: scripted() }

t.test('every name that is listed makes a picker of that name', (t) => {
  t.same(PICKER_NAMES, ['tree', 'least-loaded', 'prefix'])
  for (const use of PICKER_NAMES) t.equal(createPicker({ use }, options).name, use)
  t.end()
})

t.test('the tree is the default', (t) => {
  t.equal(createPicker({}, options).name, 'tree')
  t.end()
})

t.test('an unknown name is answered with the valid ones', (t) => {
  t.throws(
    () => createPicker({ use: 'treee' }, options),
    new LswapError({
      code: 'invalid_config',
      message: 'routing.picker.use: there is no "treee"; valid are tree, least-loaded, prefix',
      hint: 'Set routing.picker.use to one of: tree, least-loaded, prefix.',
    }),
  )
  t.throws(() => createPicker({ profile: 'toString' as 'seed' }, options), /no "toString"; valid are seed, llama/)
  t.end()
})
