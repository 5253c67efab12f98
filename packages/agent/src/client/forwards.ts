import type { Failure, Redact } from '@lswap/core'
import { randomUUID } from 'node:crypto'
import { AGENT_HEADERS, failureSchema } from '@lswap/core/protocol'
import type { ForwardFailure, ForwardHandler, ForwardHead, Forwarding, ForwardRequest } from '../forward/exchange.ts'
import type { Upstream } from '../forward/upstream.ts'
import { redactedFailure } from '../redact/told.ts'

export interface ForwardsOptions {
  /** A way to the agent; made anew whenever it was lost. */
  readonly connect: () => Upstream
  readonly onHeard: () => void
  /** A connection to the agent broke. Resolves when it was looked into. */
  readonly onBroken: () => Promise<void>
  /** Resolves when the event of this number was told. */
  readonly reached: (event: number) => Promise<void>
  /** Another router is in charge of the host. What has no answer yet ends then, once that was told. */
  readonly onFenced: (failure: Failure) => void
  /** Why the host can not be used; undefined: it can. */
  readonly failure: () => Failure | undefined
  readonly redact: Redact
  /** Tells the agent that nobody wants this upload any more: it may not see that its connection ends. */
  readonly left: (upload: string) => void
}

/** Requests that go to engines through their agent. */
export interface Forwards {
  forward(request: ForwardRequest, handler: ForwardHandler): Forwarding
  /** The host is lost: what has no answer yet is told so, and may go elsewhere. Answers that have begun may go on. */
  lose(failure: Failure): void
  /** Ends everything. */
  close(failure: Failure): void
}

export const createForwards = (options: ForwardsOptions): Forwards => {
  const running = new Set<RemoteForward>()
  let upstream: Upstream | undefined

  return {
    forward: (request, handler) => {
      upstream ??= options.connect()
      const forward = new RemoteForward(options, handler, running)
      running.add(forward)
      forward.begin(upstream, request)
      return forward
    },
    lose: (failure) => {
      const old = upstream
      upstream = undefined
      for (const forward of running) forward.lose(failure)
      // Connections that lie idle lead nowhere now; those in use end by themselves
      void old?.drained().then(() => old.close(failure))
    },
    close: (failure) => {
      upstream?.close(failure)
      upstream = undefined
      for (const forward of running) forward.cut(failure)
    },
  }
}

/** One of them. A class, since one is made for each request. */
class RemoteForward implements Forwarding, ForwardHandler {
  private inner: Forwarding | undefined
  private isOver = false
  private isAnswered = false
  private isSwitched = false
  /** What the agent is told to call it; undefined: its body is there already. */
  private upload: string | undefined
  /** What the agent itself said instead of an engine. */
  private refused: { readonly failure: Failure; readonly event: number } | undefined
  private readonly options: ForwardsOptions
  private readonly handler: ForwardHandler
  private readonly running: Set<RemoteForward>

  constructor(options: ForwardsOptions, handler: ForwardHandler, running: Set<RemoteForward>) {
    this.options = options
    this.handler = handler
    this.running = running
  }

  begin(upstream: Upstream, request: ForwardRequest): void {
    if (request.body.rest === undefined) {
      this.inner = upstream.forward(request, this)
      return
    }
    this.upload = randomUUID()
    const headers = [...request.headers, AGENT_HEADERS.upload, this.upload]
    this.inner = upstream.forward({ ...request, headers }, this)
  }

  abort(): void {
    if (this.upload !== undefined && !this.isOver) this.options.left(this.upload)
    this.leave()
    this.inner?.abort()
  }

  resume(): void {
    this.inner?.resume()
  }

  write(chunk: Uint8Array): boolean {
    return this.inner?.write(chunk) ?? true
  }

  end(): void {
    this.inner?.end()
  }

  onInformation(status: number, headers: readonly string[]): void {
    this.options.onHeard()
    this.handler.onInformation?.(status, headers)
  }

  onUpgrade(head: ForwardHead): void {
    this.options.onHeard()
    this.isAnswered = true
    this.isSwitched = true
    this.handler.onUpgrade?.({ ...head, headers: withoutOwn(head.headers) })
  }

  onDrain(): void {
    this.handler.onDrain?.()
  }

  onHead(head: ForwardHead): void {
    this.options.onHeard()
    const failure = fieldOf(head.headers, AGENT_HEADERS.failure)
    if (failure !== undefined) {
      const told = redactedFailure(readFailure(failure), this.options.redact)
      this.refused = { failure: told, event: Number(fieldOf(head.headers, AGENT_HEADERS.event) ?? 0) }
      return
    }
    this.isAnswered = true
    this.handler.onHead({ ...head, headers: withoutOwn(head.headers) })
  }

  onData(chunk: Buffer): boolean {
    this.options.onHeard()
    return this.refused !== undefined || this.handler.onData(chunk)
  }

  onEnd(trailers: readonly string[]): void {
    if (this.refused !== undefined) return void this.refuse(this.refused)
    // After a switch of protocols the other way may go on; then the abort or the loss of the connection is its end
    if (!this.isSwitched) this.leave()
    this.handler.onEnd(trailers)
    return undefined
  }

  onError(failed: ForwardFailure): void {
    if (this.refused !== undefined) void this.refuse(this.refused)
    else if (this.isAnswered) this.fail({ ...failed, answered: true })
    else void this.findOut(failed)
  }

  /** Nothing of an answer has come: it may go elsewhere. */
  lose(failure: Failure): void {
    if (this.isAnswered || this.isOver) return
    this.inner?.abort()
    this.fail({ failure, answered: false })
  }

  /** Whatever it is doing, it ends. */
  cut(failure: Failure): void {
    if (this.isOver) return
    this.inner?.abort()
    this.fail({ failure, answered: this.isAnswered })
  }

  /** Told only after what the agent knew by then: whoever tries again knows that the process is gone. */
  private async refuse({ failure, event }: { readonly failure: Failure; readonly event: number }): Promise<void> {
    await this.options.reached(event)
    if (failure.code === 'fenced') {
      this.options.onFenced(failure)
      await new Promise<void>((resolve) => void setImmediate(resolve))
    }
    this.fail({ failure, answered: false })
  }

  /** The way to the agent broke: whoever tries again must know whether the host is there. */
  private async findOut(failed: ForwardFailure): Promise<void> {
    if (BROKEN.has(failed.failure.code)) await this.options.onBroken()
    // Else it is told with the loss of the host, once that is known
    if (this.options.failure() === undefined) this.fail(failed)
  }

  private fail(failed: ForwardFailure): void {
    if (this.isOver) return
    this.leave()
    this.handler.onError(failed)
  }

  private leave(): void {
    this.isOver = true
    this.running.delete(this)
  }
}

const BROKEN: ReadonlySet<string> = new Set(['upstream_unreachable', 'upstream_died'])
const OWN: ReadonlySet<string> = new Set(Object.values(AGENT_HEADERS))

const fieldOf = (headers: readonly string[], name: string): string | undefined => {
  for (let at = 0; at + 1 < headers.length; at += 2) if (headers[at]?.toLowerCase() === name) return headers[at + 1]
  return undefined
}

const withoutOwn = (headers: readonly string[]): string[] => {
  const kept: string[] = []
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (!OWN.has(headers[at]?.toLowerCase() ?? '')) kept.push(headers[at] ?? '', headers[at + 1] ?? '')
  }
  return kept
}

const readFailure = (text: string): Failure => {
  try {
    return failureSchema.parse(JSON.parse(decodeURIComponent(text)))
  } catch {
    return { code: 'host_unreachable', message: 'the agent failed the request and could not say why' }
  }
}
