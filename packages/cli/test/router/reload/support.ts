import { answerJson } from '../support/answers.ts'
import { ask, type Told } from '../support/ask.ts'
import type { Rig } from '../support/rig.ts'

export const answer = answerJson({ ok: true })
export const chat = (name: string): string => JSON.stringify({ model: name, messages: [] })

export const reload = ({ port }: Rig, headers: Record<string, string> = {}): Promise<Told> =>
  ask(port, { method: 'POST', path: '/api/reload', headers })
