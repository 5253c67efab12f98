/**
 * Violations that the checks must find. `text` is added to `file` in a copy of the sources; `tool` must then
 * report that file with `code`.
 */
export const plants = [
  ...impure('eslint(no-restricted-globals)', {
    process: 'process.pid',
    fetch: 'fetch',
    timeout: 'setTimeout',
    interval: 'setInterval',
    immediate: 'setImmediate',
    microtask: 'queueMicrotask',
    performance: 'performance.now()',
    buffer: 'Buffer.alloc(1)',
    console: 'console.log',
    crypto: 'crypto.randomUUID()',
    date: 'Date.now()',
    'new-date': 'new Date()',
    global: 'globalThis',
  }),
  ...impure('eslint(no-restricted-properties)', { random: 'Math.random()', 'bare-random': 'Math["random"]' }),
  // The compiler's half of purity: core sees no types but the language's own.
  ...['process', 'fetch', 'setTimeout', 'Buffer', 'console', 'URL', 'AbortController'].map((name) => ({
    rule: `core does not know ${name}`,
    tool: 'tsc',
    code: /^TS2(304|580|584|591)$/,
    file: `packages/core/src/planted/types-${name}.ts`,
    text: `export const planted = ${name}\n`,
  })),
  {
    rule: 'core does not know node:fs',
    tool: 'tsc',
    code: /^TS2(307|591)$/,
    file: 'packages/core/src/planted/types-fs.ts',
    text: "export const planted = import('node:fs')\n",
  },
  ...forbidden('core', ['@lswap/agent', 'lswap', 'node:fs', '../../../agent/src/index.ts', '../../../cli/src/cli.ts']),
  ...forbidden('agent', ['lswap', '../../../cli/src/cli.ts', '../../../core/src/index.ts']),
  ...forbidden('cli', ['../../../agent/src/index.ts', '../../../core/src/index.ts']),
  ...['core', 'agent', 'cli'].flatMap((name) => cycle(name)),
  {
    rule: 'a promise is awaited',
    tool: 'oxlint',
    code: /no-floating-promises/,
    file: 'packages/agent/src/planted/floating.ts',
    text: 'const later = async (): Promise<void> => {}\nexport const planted = (): void => {\n  later()\n}\n',
  },
  {
    rule: 'no folder that is removed before what writes there has ended',
    tool: 'oxlint',
    code: /no-restricted-properties/,
    file: 'packages/cli/test/planted/testdir.ts',
    text: 'export const planted = (t: { testdir(): string }): string => t.testdir()\n',
  },
  {
    rule: 'no any',
    tool: 'oxlint',
    code: /no-explicit-any/,
    file: 'packages/cli/src/planted/any.ts',
    text: 'export const planted = (value: any): string => String(value)\n',
  },
  {
    rule: 'an export is used',
    tool: 'knip',
    code: /plantedExport/,
    file: 'packages/core/src/ids.ts',
    text: 'export const plantedExport = 1\n',
  },
  {
    rule: 'a file is used',
    tool: 'knip',
    code: /planted\/lonely\.ts/,
    file: 'packages/agent/src/planted/lonely.ts',
    text: 'export {}\n',
  },
]

function impure(code, expressions) {
  return Object.entries(expressions).map(([name, expression]) => ({
    rule: `core is pure: ${expression}`,
    tool: 'oxlint',
    code,
    file: `packages/core/src/planted/${name}.ts`,
    text: `export const planted = ${expression}\n`,
  }))
}

function forbidden(from, targets) {
  return targets.map((target, at) => ({
    rule: `${from} does not import ${target}`,
    tool: 'oxlint',
    code: 'eslint(no-restricted-imports)',
    file: `packages/${from}/src/planted/direction-${at}.ts`,
    text: `export * from '${target}'\n`,
  }))
}

function cycle(name) {
  return ['ab', 'ba'].map(([which, other]) => ({
    rule: `no cycles in ${name}`,
    tool: 'oxlint',
    code: 'import(no-cycle)',
    file: `packages/${name}/src/planted/cycle-${which}.ts`,
    text: `import { ${other} } from './cycle-${other}.ts'\nexport const ${which} = (): unknown => ${other}\n`,
  }))
}
