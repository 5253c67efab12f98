import { request } from 'node:http'

const limitMs = 30_000

/** One client; `agent` keeps its connections. Resolves with the milliseconds from sending to the answer's last byte. */
export async function askModel({ port, agent, model }) {
  const body = JSON.stringify({ model, max_tokens: 4, messages: [{ role: 'user', content: 'Hello' }] })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const began = performance.now()
  const options = { host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions', headers, agent }
  const { status, text } = await exchange(options, body)
  const tookMs = performance.now() - began
  if (status !== 200) throw new Error(`${model} answered with ${status}: ${text.slice(0, 500)}`)
  return tookMs
}

/** Whether the engine is ready; a connection that a ready one keeps open serves the next question. */
export async function isReady({ port, agent }) {
  try {
    const { status } = await exchange({ host: '127.0.0.1', port, path: '/health', agent })
    return status === 200
  } catch {
    return false
  }
}

function exchange(options, body) {
  return new Promise((resolve, reject) => {
    const asked = request({ ...options, timeout: limitMs }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
      answer.on('error', reject)
    })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${limitMs} ms`)))
    asked.on('error', reject)
    asked.end(body)
  })
}
