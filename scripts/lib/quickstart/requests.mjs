/** The two requests that show a swap, one for each model. */
export function swapRequests(url, ids) {
  return ids.slice(0, 2).map((id) => {
    const body = JSON.stringify({ model: id, max_tokens: 32, messages: [{ role: 'user', content: 'Hello!' }] })
    const target = `${url}/v1/chat/completions`
    return { id, target, body, curl: `curl ${target} -H 'Content-Type: application/json' -d '${shellQuoted(body)}'` }
  })
}

/** Sends one of them and returns the text of the answer; throws with what the router said otherwise. */
export async function send({ target, body }) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(target, { method: 'POST', headers, body, signal: AbortSignal.timeout(180_000) })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
  return JSON.parse(text).choices[0].message.content
}

const shellQuoted = (text) => text.replaceAll("'", String.raw`'\''`)
