import { build } from 'esbuild'

// Every import stays an import, as in the compiler's own output: only the ending is that of a compiled file.
const keepImports = {
  name: 'keep-imports',
  setup(plugin) {
    plugin.onResolve({ filter: /.*/ }, ({ path }) => ({ path: path.replace(/^(\..*)\.ts$/, '$1.js'), external: true }))
  },
}

/**
 * One TypeScript module as JavaScript, or the mistake in its syntax. Types are not looked at: it is for the test to notice
 * what is wrong. Takes milliseconds where the compiler takes a second.
 */
export async function compileModule(contents) {
  try {
    const { outputFiles } = await build({
      stdin: { contents, loader: 'ts' },
      write: false,
      bundle: true,
      treeShaking: false,
      format: 'esm',
      target: 'es2023',
      plugins: [keepImports],
      logLevel: 'silent',
    })
    return { code: outputFiles[0].text }
  } catch (error) {
    if (error.errors === undefined) throw error
    return { mistake: error.errors.map(({ text }) => text).join('; ') }
  }
}
