import { LOCAL_HOST, type Placement } from '../ids.ts'

/** `0.4 s`, `12 s`: as people compare waits. */
export const secondsText = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  return `${seconds < 9.95 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`
}

/** The host is worth a word only where there is more than the own one. */
export const placeText = ({ model, host }: Placement): string => (host === LOCAL_HOST ? model : `${model} on ${host}`)

export const listText = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`

export const requestsText = (count: number): string =>
  count === 1 ? '1 request still runs' : `${count} requests still run`
