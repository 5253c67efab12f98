import t from 'tap'
import { fleet, type Program } from './fleet.ts'
import { begun, load } from './replicas.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(170_000)

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

const SYSTEM: Message = { role: 'system', content: 'You answer briefly and to the point. '.repeat(30) }

interface Sending {
  readonly maxTokens?: number
  readonly signal?: AbortSignal
}

const send = (
  router: Program,
  messages: readonly Message[],
  { maxTokens = 1, signal = AbortSignal.timeout(60_000) }: Sending = {},
): Promise<Response> =>
  fetch(`${router.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ temperature: 0, messages, model: 'm', max_tokens: maxTokens }),
    signal,
  })

/** A conversation as its client has it. */
class Conversation {
  readonly messages: Message[] = [SYSTEM]
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** Says something more; resolves with the number of the request. */
  async goOn(router: Program): Promise<number> {
    this.messages.push({ role: 'user', content: `${this.name} asks about ${this.messages.length}: `.repeat(20) })
    const response = await send(router, this.messages)
    const answer = (await response.json()) as { choices: [{ message: Message }] }
    this.messages.push(answer.choices[0].message)
    return Number(response.headers.get('x-lswap-request-id'))
  }
}

/** On how many hosts a router knows it to be ready. */
const readyOn = async ({ url }: Program): Promise<number> => {
  const { hosts } = (await (await fetch(`${url}/api/queue`)).json()) as {
    hosts: readonly { placements: readonly { state: string }[] }[]
  }
  return hosts.filter(({ placements }) => placements.some(({ state }) => state === 'ready')).length
}

t.test('a conversation that returns is served where it was, until that has too much to do', async (t) => {
  const engine = { m: '--parallel 4 --tokens 1000 --tps 10' }
  const rig = await fleet(t, { h1: engine, h2: engine })
  const hosts = ['h1', 'h2'].map((name) => rig.host(name))
  await Promise.all(hosts.map((host) => load(host)))
  const router = await rig.router('routing: { picker: { use: prefix, staleAfterMs: 60000 } }\n')
  /** Of a request: where it was served, and why there. */
  const grantOf = async (id: number): Promise<{ host: string; text: string }> => {
    const { stdout } = await rig.lswap(router, 'explain', String(id))
    const host = /(?:done|running) on (h\d)/.exec(stdout)?.[1]
    if (host === undefined) throw new Error(`no grant is told: ${stdout}`)
    return { host, text: stdout }
  }
  const talks = ['ada', 'bob', 'cyd', 'dan'].map((name) => new Conversation(name))
  const homes = new Map<Conversation, string>()
  let sent = 0
  /** Says something more in a conversation; true: there was a choice of two of which enough was known, and it had a home. */
  const goOn = async (talk: Conversation): Promise<boolean> => {
    const { host, text } = await grantOf(await talk.goOn(router))
    sent += 1
    const home = homes.get(talk)
    // A host that a busy machine kept from telling how it is, or that it is there, is passed over for that time
    if (!text.includes('of 2 ready replicas') || /has no recent metrics$/m.test(text)) {
      homes.set(talk, host)
      return false
    }
    homes.set(talk, home ?? host)
    if (home === undefined) return false
    t.equal(host, home, `${talk.name}, request ${sent}`)
    t.match(text, /^picked: .*; it holds the first \d+ of the prompt's \d+ blocks$/m, 'and it is said')
    return true
  }
  await until('both are ready, as the router knows', async () => ((await readyOn(router)) === 2 ? true : undefined))
  for (let turn = 0; turn < 3; turn += 1)
    for (const talk of talks) await until('there was a choice', async () => (await goOn(talk)) || undefined)
  t.equal(
    (await Promise.all(hosts.map((host) => begun(host)))).reduce((sum, count) => sum + count, 0),
    sent,
  )

  const [talk] = talks
  const home = hosts.find(({ id }) => talk !== undefined && id === homes.get(talk))
  const other = hosts.find((host) => host !== home)
  if (talk === undefined || home === undefined || other === undefined) throw new Error('nobody was served')
  const leave = new AbortController()
  const before = await begun(home)
  const long = [1, 2, 3].map((more) =>
    send(router, [...talk.messages, { role: 'user', content: `go on ${more}` }], {
      maxTokens: 1_000,
      signal: leave.signal,
    }),
  )
  const ended = Promise.allSettled(long)
  await until('three are served there', async () => ((await begun(home)) === before + 3 ? true : undefined))
  const { host, text } = await grantOf(await talk.goOn(router))
  t.equal(host, other.id, 'three of four slots against none')
  t.match(text, /^picked: .* blocks and has the worse queue: 3 wait there, 0 elsewhere$/m)
  leave.abort()
  await ended
})
