import { scratch } from '../../packages/core/dist/test/support/index.js'
import t from 'tap'
import { licencesOf, licencesText, packageFolders } from '../../scripts/lib/licences.mjs'

t.test('packages are found by the files that the bundle took, wherever they lie', async (t) => {
  const inputs = {
    'packages/cli/dist/src/cli.js': {},
    'node_modules/.pnpm/pino@10.4.0/node_modules/pino/pino.js': {},
    'node_modules/.pnpm/pino@10.4.0/node_modules/pino/lib/tools.js': {},
    'node_modules/.pnpm/@a+b@1.0.0/node_modules/@a/b/index.js': {},
    'packages/cli/node_modules/zod/index.js': {},
  }
  t.same(packageFolders(inputs), [
    'node_modules/.pnpm/@a+b@1.0.0/node_modules/@a/b',
    'node_modules/.pnpm/pino@10.4.0/node_modules/pino',
    'packages/cli/node_modules/zod',
  ])
})

const manifest = (name, more) => JSON.stringify({ name, version: '1.0.0', ...more })

t.test('each has its text, by name and once; one that names no licence is an error', async (t) => {
  const top = scratch(t, {
    z: { 'package.json': manifest('z', { license: 'MIT' }), 'LICENCE.md': 'text of z\n', 'license.js': '' },
    copy: { 'package.json': manifest('z', { license: 'MIT' }), LICENSE: 'text of z\n' },
    a: { 'package.json': manifest('a', { license: 'MIT', author: { name: 'Ann' }, repository: 'x/a' }) },
    bad: { 'package.json': manifest('bad') },
  })
  const text = licencesText(await licencesOf(['z', 'copy', 'a'], top))
  t.match(
    text,
    /a 1\.0\.0 \(MIT\)\n\nThe package carries no text of it\. By Ann, x\/a\.\n[^]*z 1\.0\.0 \(MIT\)\n\ntext of z\n$/,
  )
  t.equal(text.split('text of z').length, 2)
  await t.rejects(licencesOf(['bad'], top), /bad@1\.0\.0 names no licence/)
})
