import type { Seen } from '../client/feed.ts'
import type { RouterClient } from '../client/router-client.ts'
import type { Io } from '../io.ts'
import type { TaskContext } from '../commands/invocation.ts'
import { bar } from './bar.ts'
import { sayLater } from './say-later.ts'
import type { Step } from './step.ts'

export interface Progress {
  /** Ends it, and takes its bar off the screen. */
  stop(): void
}

export interface ProgressOptions {
  readonly router: RouterClient
  readonly context: Pick<TaskContext, 'io' | 'say' | 'errStyle'>
  readonly stepOf: (seen: Seen) => Step | undefined
  /** What is done: said first, and only when it was not refused or done at once. */
  readonly opening: string
}

/** The bar moves between the router's events too. */
const TICK_MS = 100

/** Tells on stderr how far something is, by the router's feed: a bar that moves on a terminal, elsewhere one line per change. */
export const showProgress = ({ router, context, stepOf, opening: line }: ProgressOptions): Progress => {
  const ended = new AbortController()
  const { stderr } = context.io
  const isBar = hasBar(context.io)
  const opening = sayLater(context, line)
  let shown: { readonly step: Step; readonly at: number; readonly seenAt: number } | undefined
  let said = ''

  const draw = (): void => {
    if (shown === undefined) return
    const at = shown.at + performance.now() - shown.seenAt
    stderr.write(`\r${bar(shown.step, at, { columns: stderr.columns ?? 80, style: context.errStyle })}\u001B[K`)
  }
  const clear = (): void => {
    if (isBar && shown !== undefined) stderr.write('\r\u001B[K')
    shown = undefined
  }
  const tell = (seen: Seen): void => {
    const step = stepOf(seen)
    if (step === undefined) return clear()
    opening.now()
    if (isBar) {
      shown = { step, at: seen.at, seenAt: performance.now() }
      return draw()
    }
    if (step.text !== said) context.say(`${step.text}…`)
    said = step.text
    return undefined
  }
  const follow = async (): Promise<void> => {
    try {
      const { watch } = await import('../client/feed.ts')
      for await (const seen of watch(router, ended.signal)) if (!ended.signal.aborted) tell(seen)
    } catch {
      // The command itself tells what is wrong with the router, or with the key; progress is only a comfort
    }
  }

  const timer = isBar ? setInterval(draw, TICK_MS).unref() : undefined
  void follow()
  return {
    stop: () => {
      opening.takeBack()
      ended.abort()
      clearInterval(timer)
      clear()
    },
  }
}

/** Whether something that moves can be shown. Colour is another question. */
const hasBar = ({ stderr, env }: Pick<Io, 'stderr' | 'env'>): boolean =>
  stderr.isTTY === true && env['TERM'] !== 'dumb' && !env['CI']
