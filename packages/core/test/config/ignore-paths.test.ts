import t from 'tap'
import { DEFAULT_IGNORE_PATHS, ignorePathPattern } from '../../src/config/ignore-paths.ts'
import { configOf, issuesOf, modelOf, modelWith, withModel } from './reading.ts'

const matches = (pattern: string, path: string): boolean | undefined => ignorePathPattern(pattern)?.test(path)

t.test('paths of an engine that never load it: those of the file, else what pages are made of', async (t) => {
  t.same(configOf(withModel('')).ignorePaths, DEFAULT_IGNORE_PATHS)
  t.same(configOf(withModel('upstream: { ignorePaths: [] }')).ignorePaths, DEFAULT_IGNORE_PATHS)
  const text = withModel("upstream:\n  ignorePaths:\n    - '^/ws$'\n    - '(?i)\\.SVG$'")
  t.same(configOf(text).ignorePaths, ['^/ws$', '(?i)\\.SVG$'])
  t.same(issuesOf(text), [], 'and no warning')
  const [pattern = ''] = DEFAULT_IGNORE_PATHS
  t.same(
    ['/a.js', '/x/y.css', '/manifest.json', '/favicon.ico', '/', '/a.js/b', '/index.html'].map((path) =>
      matches(pattern, path),
    ),
    [true, true, true, true, false, false, false],
  )
})

t.test('what RE2 spells differently is understood, anywhere in a path', async (t) => {
  t.equal(matches('(?i)\\.CSS$', '/a.css'), true)
  t.equal(matches('\\A/api/(?P<kind>jobs|queue)\\z', '/api/jobs'), true)
  t.equal(matches('\\A/api/(?P<kind>jobs|queue)\\z', '/v1/api/jobs'), false)
  t.equal(matches('jobs', '/api/jobs/1'), true)
  t.equal(matches('a\\\\z', '/a\\z'), true, 'an escaped backslash before a z is no \\z')
})

t.test('what is no expression is a mistake at its place', async (t) => {
  t.same(issuesOf(withModel("upstream:\n  ignorePaths: ['ok', '(']")), [
    '2:23: error: upstream.ignorePaths[1]: expected a regular expression, this is none',
  ])
})

t.test('compat.ignoreWebsockets arrives, and is off without a word', async (t) => {
  t.equal(modelOf(modelWith('compat: { ignoreWebsockets: true }'), 'a').ignoreWebsockets, true)
  t.equal(modelOf(modelWith('compat: { ignoreWebsockets: false }'), 'a').ignoreWebsockets, undefined)
  t.same(issuesOf(modelWith('compat: { ignoreWebsockets: true }')), [])
})
