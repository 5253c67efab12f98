import { basename } from 'node:path'
import { stringify } from 'yaml'

const noise = /-\d{5}-of-\d{5}$|[-.](?:UD-)?(?:I?Q\d\w*|BF16|F16|F32|MXFP4\w*)$/i

/** Names for models: the file's name without the noise of its quantisation, unless two would be called the same. */
export function modelIds(paths) {
  const full = paths.map((path) => basename(path, '.gguf'))
  const short = full.map((name) => name.replace(noise, '').replace(noise, ''))
  return full.map((name, at) => {
    if (short.filter((other) => other === short[at]).length === 1) return short[at]
    return full.filter((other) => other === name).length === 1 ? name : `${name}-${at + 1}`
  })
}

/** A configuration that serves each model with the engine, one at a time. */
export function configText({ engine, models }) {
  const entries = models.map(({ id, path }) => [id, { cmd: commandLine(engine, path), ttl: 0 }])
  const head = '# Written by scripts/quickstart on each start. Copy it before you change it.\n'
  return head + stringify({ models: Object.fromEntries(entries) }, { lineWidth: 0 })
}

// Without --ctx-size an engine takes room for the longest context that the model knows: tens of gigabytes for some.
function commandLine(engine, path) {
  return `${quoted(engine)} --host 127.0.0.1 --port \${PORT} --ctx-size 4096 --model ${quoted(path)}`
}

function quoted(word) {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
