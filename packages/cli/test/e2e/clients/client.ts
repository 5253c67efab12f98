/** What the script asks for; each client says it in its own words. */
export interface Ask {
  readonly model: string
  readonly text: string
  readonly maxTokens: number
  /** With a tool, a call of it and its result in the conversation. */
  readonly hasTools?: boolean
  readonly signal?: AbortSignal
  /** How long the client waits for an answer. */
  readonly timeoutMs?: number
}

/** An answer, whole or the sum of a stream, without what is different in each. */
export interface Reply {
  readonly text: string
  readonly finish: 'length' | 'stop'
  readonly input: number
  readonly output: number
}

/** An error as the client's user sees it. */
export interface Refusal {
  readonly status: number | undefined
  readonly type: string | undefined
  /** Engines tell a number. */
  readonly code: unknown
  readonly message: string
}

/** How a client ends a request that was given up. */
export type GivenUp = 'aborted' | 'timed out'

/** One way to talk to an engine; the second line of operations is not for everybody. */
export interface Client {
  readonly name: string
  readonly models: () => Promise<readonly string[]>
  readonly chat: (ask: Ask) => Promise<Reply>
  /** Calls `onText` for each piece. */
  readonly stream: (ask: Ask, onText: (text: string) => void) => Promise<Reply>
  /** What an error of `chat` or `stream` tells. */
  readonly refusal: (error: unknown) => Refusal | GivenUp

  readonly respond?: (ask: Ask) => Promise<Reply>
  readonly complete?: (ask: Ask) => Promise<Reply>
  readonly embed?: (model: string, texts: readonly string[]) => Promise<readonly (readonly number[])[]>
  readonly count?: (ask: Ask) => Promise<number>
}

export interface Target {
  /** Without `/v1`. */
  readonly url: string
  /** Of requests that were answered 429, 503 and the like. */
  readonly maxRetries?: number
}

/** No answer of a test takes longer. */
export const LIMIT_MS = 60_000

export const CITY = 'Köln 漢字 👩‍👩‍👧‍👦'
