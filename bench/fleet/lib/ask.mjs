import { request } from 'node:http'

/** One chat; resolves with milliseconds to the first byte and to the last, and the engine's own time. */
export function ask({ port, agent, model, stream = false }) {
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hello' }] })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, agent, method: 'POST', path: '/v1/chat/completions', headers })
    asked.setTimeout(60_000, () => asked.destroy(new Error('no answer within 60 s')))
    asked.on('error', reject)
    asked.on('response', (answer) => {
      let firstAt
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        firstAt ??= performance.now()
        text += chunk
      })
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode !== 200) return reject(new Error(`${answer.statusCode}: ${text.slice(0, 300)}`))
        return resolve({ firstAt, tookMs: performance.now() - began })
      })
    })
    asked.end(body)
  })
}
