/**
 * For esbuild: `node:http` and `node:https` by `require`. Node 24 reads every export of what is imported, and one of `node:http`'s is the whole of
 * its own undici, which nobody uses here: a third of the time in which `lswap ps` starts. What is imported when it is needed stays as it is:
 * esbuild would hand out what was required as `default` alone, without the names that the importer asks for.
 */
export const requiredHttp = {
  name: 'required-http',
  setup: (build) => {
    build.onResolve({ filter: /^(?:node:)?https?$/ }, ({ path, kind }) =>
      kind === 'require-call' || kind === 'dynamic-import' ? undefined : { path, namespace: 'required' },
    )
    build.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}
