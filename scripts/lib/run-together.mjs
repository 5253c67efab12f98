import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import t from 'tap'

/**
 * Runs files of tests in this process, one after the other: the next is loaded when the tests of the one before have ended. One
 * that cannot be loaded, or that has no tests, is a failure that names it, and keeps no other from running.
 */
export async function runTogether(files) {
  for (const file of files) {
    const before = t.counts.total
    await import(pathToFileURL(file).href).catch((error) => t.fail(`${file} cannot be loaded`, { error }))
    if (!t.idle) await once(t, 'idle')
    if (t.counts.total === before) t.fail(`${file} has no tests`)
  }
}
