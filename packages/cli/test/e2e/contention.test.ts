import t from 'tap'
import { chat } from './chat.ts'
import { served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

t.test('two models asked for at the same time are both served, fifty times', async (t) => {
  const { url, journal } = await served(t, { models: { a: '', b: '' } })
  for (let round = 1; round <= 50; round += 1) {
    const responses = await Promise.all([chat(url, 'a', { maxTokens: 1 }), chat(url, 'b', { maxTokens: 1 })])
    const answers = await Promise.all(responses.map((response) => response.text()))
    const refused = answers.filter((_, at) => responses[at]?.status !== 200)
    if (refused.length > 0) throw new Error(`round ${round}: ${refused.join(' ')}`)
  }
  const starts = await journal.starts()
  t.ok(starts.length >= 51 && starts.length <= 100, `${starts.length} starts: at most one a request`)
})
