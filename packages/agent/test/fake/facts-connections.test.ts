import { busyEngine, isIdle } from './support/busy.ts'
import { fact } from './support/fact.ts'
import { chatText, getText, openRaw, postText } from './support/http.ts'
import { readyEngine } from './support/running.ts'
import { until } from './support/until.ts'

fact('closes the connection after a chunked answer, although it says it keeps it', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const stream = openRaw(port, chatText({ stream: true, max_tokens: 2 }))
  await stream.closed
  const [head = ''] = stream.text().split('\r\n\r\n', 1)
  t.match(head, /^Keep-Alive: /m)
  t.notMatch(head, /^Connection: /m)
  t.ok(stream.text().endsWith('\r\n0\r\n\r\n'))
})

fact('keeps the connection after an answer of known length', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const connection = openRaw(port, chatText({ max_tokens: 1 }))
  await until('the first answer', () => connection.text().includes('}}'))
  connection.socket.write(getText('/health'))
  await until('the second answer', () => connection.text().endsWith('{"status":"ok"}'))
  t.ok(connection.isOpen())
  connection.socket.destroy()
})

fact('closes the connection after every error', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const chat = '/v1/chat/completions'
  const wrong = [getText('/nowhere'), getText(chat), postText(chat, {}), postText(chat, 'no object')]
  for (const text of wrong) {
    const connection = openRaw(port, text)
    await connection.closed
    t.match(connection.text(), /^HTTP\/1.1 40[04] [^]*\r\nConnection: close\r\n[^]*"error":/)
  }
})

fact('closes a connection with its hundredth answer, and says so', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const connection = openRaw(port, getText('/health'))
  const answers = (): string[] => connection.text().split('HTTP/1.1 200').slice(1)
  for (let sent = 1; sent < 100; sent += 1) {
    await until(`answer ${sent}`, () => answers().length === sent && connection.text().endsWith('}'))
    connection.socket.write(getText('/health'))
  }
  await connection.closed
  t.equal(answers().length, 100)
  const closing = answers().filter((answer) => answer.includes('\r\nConnection: close\r\n'))
  t.same(closing, answers().slice(-1))
})

fact('stops to work for the client of a stream that has left', async (t, engine) => {
  const { running, client } = await busyEngine(t, engine, { stream: true })
  t.notOk(await isIdle(running.port))
  client.socket.destroy()
  await until('it is idle', () => isIdle(running.port))
})

fact('stops to work for a client that has left without a stream', async (t, engine) => {
  const { running, client } = await busyEngine(t, engine, { stream: false })
  t.notOk(await isIdle(running.port))
  client.socket.destroy()
  // The real one looks for its client only after a second in which no task ended, and to tell the slots is a task:
  // whoever asks for slots or metrics more often keeps it at work for nobody.
  await until('it is idle', () => isIdle(running.port), 1500)
})
