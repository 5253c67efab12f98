import { stringify } from 'yaml'

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
