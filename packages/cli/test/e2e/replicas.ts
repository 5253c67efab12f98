import { callAgent, type HostRig } from './fleet.ts'

/** Loads a model of a host by hand, while no router is there: one that asks for it would get one replica. */
export const load = async (host: HostRig, model = 'm'): Promise<void> => {
  const answer = await callAgent(host, '/v1/swap', { method: 'POST', body: JSON.stringify({ model, evict: [] }) })
  const text = await answer.text()
  if (!text.includes('"type":"ready"')) throw new Error(`${host.id}: ${text}`)
}

/** How many chats its engine has got. */
export const begun = async ({ journal }: HostRig): Promise<number> =>
  (await journal.lines()).filter(({ phase, path }) => phase === 'begin' && path === '/v1/chat/completions').length
