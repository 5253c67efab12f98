import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The processors that this process may use. */
function allowed() {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  return list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}

const on = (processor) => ['taskset', '-c', String(processor)]

/**
 * Two processors: one for what is measured, the other for clients and engines. Each is given as the words that go before a
 * command. What is missing is said, since figures without it are of little use.
 */
export function chooseProcessors() {
  const [one, other] = allowed()
  if (other === undefined) return { load: [], proxy: [], said: 'one processor for everything' }
  if (spawnSync('taskset', ['--version']).error) return { load: [], proxy: [], said: 'not pinned: there is no taskset' }
  return { load: on(one), proxy: on(other), said: `proxy on processor ${other}, clients and engine on ${one}` }
}
