import { failureOf, type Failure, type ModelConfig } from '@lswap/core'
import { createAnswer, type Answer } from '../answer/answer.ts'
import { GrantedProcess, type Destination } from '../attempt.ts'
import { RequestBody, type BodyEvents } from '../body/body.ts'
import type { Edit } from '../body/splice.ts'
import type { Call, Follower } from '../call.ts'
import { earlyStreamFor } from '../early/early-stream-for.ts'
import type { EarlyStream } from '../early/early-stream.ts'
import { formsKeepNames } from '../catalog.ts'
import { editsForPeer, editsOf } from '../filter/filters.ts'
import type { Grant, Waiter } from '../loop.ts'
import type { FoundModel, ModelScan } from '../model-name.ts'
import type { Resolution } from '../names/resolution.ts'
import { namesInQuery, withModel } from '../peers/query.ts'
import { withPrefix } from '../prompt/chain.ts'
import { requestFor } from '../scheduler-request.ts'
import { createWaitLimit, waitExceeded, waitLimitMs, type WaitLimit } from '../wait-limit.ts'
import type { Asked, ExchangeOptions } from './asked.ts'
import { Tries, type TriesEvents } from './tries.ts'

type PeerResolution = Extract<Resolution, { readonly type: 'peer' }>

/**
 * `reading`: the body, for its model · `waiting`: for a grant · `granted`: the grant is ours and will be given back
 * exactly once · `passed on`: it is a peer's · `over`: nothing is held any more, everything that still comes is ignored.
 */
type Stage = 'reading' | 'waiting' | 'granted' | 'passed on' | 'over'

const NO_EDITS: readonly Edit[] = []

/** Takes a request from the first byte of its body to the last of its answer. */
export const exchange = (options: ExchangeOptions, call: Call, asked: Asked): void => {
  new Exchange(options, call, asked).begin()
}

/** One object that its body, its attempts and the loop tell of what happens: of closures each request would need two dozen. */
class Exchange implements Follower, BodyEvents, TriesEvents, Waiter {
  private readonly options: ExchangeOptions
  private readonly call: Call
  private readonly asked: Asked
  private readonly answer: Answer
  private readonly body: RequestBody
  private readonly tries: Tries
  private stage: Stage = 'reading'
  private edits = NO_EDITS
  /** What the engine is asked for; undefined: what came, without what was for lswap. */
  private path: string | undefined
  /** Where the request may go; used once for each attempt. */
  private destination: Destination | undefined
  private early: EarlyStream | undefined
  private waitLimit: WaitLimit | undefined
  private submittedAt: number

  constructor(options: ExchangeOptions, call: Call, asked: Asked) {
    const { clock, disk, limits, loop, memory } = options
    this.options = options
    this.call = call
    this.asked = asked
    this.submittedAt = call.startedAt
    this.answer = createAnswer(call, () => this.tries.resume())
    this.body = new RequestBody(
      { req: call.req, length: asked.asked.length, most: asked.most, memory, disk, limits, clock },
      this,
    )
    this.tries = new Tries(
      { call, route: asked.route, answer: this.answer, body: this.body, loop, clock, limits },
      this,
    )
    call.follow(this)
  }

  begin(): void {
    const { source } = this.asked
    if (source.type !== 'name') return
    try {
      this.submit(source.name, undefined)
    } catch (error) {
      this.bug(error)
    }
  }

  gone(): void {
    this.leave()
  }

  cut(failure: Failure): void {
    this.fail(failure)
  }

  chunk(chunk: Buffer): void {
    const { source } = this.asked
    if (source.type !== 'body') return
    try {
      this.scanned(source.scanner.push(chunk))
    } catch (error) {
      this.bug(error)
    }
  }

  ready(): void {
    const { source } = this.asked
    try {
      if (this.stage !== 'reading') this.forwardWhenReady()
      else if (source.type === 'body') this.scanned(source.scanner.end())
    } catch (error) {
      this.bug(error)
    }
  }

  failed(failure: Failure): void {
    this.fail(failure)
  }

  heard(): void {
    this.early?.stop()
  }

  ended(): void {
    this.leave()
  }

  tried(failure: Failure, mayRepeat: boolean): void {
    const { call, options } = this
    // A peer has an order of its own: there is nothing to restart, and nowhere to queue again
    if (!mayRepeat || this.stage === 'passed on') return this.fail(failure)
    options.log.warn(
      { request: call.id, model: call.facts.model, failure },
      'trying again: the engine failed before it answered',
    )
    this.stage = 'waiting'
    this.early?.waits()
    this.waitLimit?.waits()
    return options.loop.served(call.id, 'retry')
  }

  granted(grant: Grant): void {
    const { facts } = this.call
    this.stage = 'granted'
    this.early?.granted()
    this.destination = new GrantedProcess(grant)
    facts.host = grant.placement.host
    facts.waitMs = this.options.clock.now() - this.submittedAt
    this.forwardWhenReady()
  }

  rejected(failure: Failure): void {
    // The loop holds nothing for it any more
    this.stage = 'reading'
    this.fail(failure)
  }

  closed(failure: Failure): void {
    this.fail(failure)
  }

  /** Gives back whatever the stage holds. */
  private leave(): void {
    const { call, options, stage } = this
    const outcome = this.tries.isUnderWay() ? 'given-up' : 'done'
    this.stage = 'over'
    this.early?.stop()
    this.waitLimit?.stop()
    this.tries.stop()
    this.body.close()
    if (stage === 'waiting') options.loop.cancel(call.id)
    if (stage === 'granted') options.loop.served(call.id, outcome)
  }

  private fail(failure: Failure): void {
    if (this.stage === 'over') return
    this.leave()
    this.call.facts.failure = failure
    this.tries.refuse(failure)
  }

  /** A bug ends this request and no other. */
  private bug(error: unknown): void {
    this.options.log.error({ err: error, request: this.call.id }, 'bug: a request could not be carried on')
    this.fail(failureOf(error))
  }

  private scanned(scan: ModelScan): void {
    if (scan.type === 'failed') this.fail(scan.failure)
    if (this.stage !== 'reading') return
    if (scan.type === 'found') this.submit(scan.model, scan)
    else if (scan.type === 'named') this.submit(scan.model, undefined)
  }

  private submit(asksFor: string, found: FoundModel | undefined): void {
    const { answer, asked, call, options } = this
    const { catalog, clock, lookout, loop, names } = options
    const { route } = asked
    const named = names.resolve(asksFor, call)
    if (named.type === 'failed') return this.fail(named.failure)
    if (named.type === 'peer') return this.passOn(named, found)
    const { model, calledAs } = named
    call.facts.model = model.id
    if (found !== undefined && found.inForm === undefined) this.edits = editsOf(model, found, calledAs)
    // Only a stream hears anything early
    if (found?.stream === true) this.early = earlyStreamFor({ call, route, answer, lookout, clock }, model, found)
    this.stage = 'waiting'
    this.submittedAt = clock.now()
    this.early?.waits()
    this.waitLimit = this.limitFor(model)
    this.waitLimit?.waits()
    this.body.limit()
    const request = requestFor(call, model, { route, asked: asked.asked, calledAs })
    call.facts.priority = request.priority
    if (!catalog.readsPrompt(model) || found === undefined) return loop.submit(request, this)
    return loop.submit(withPrefix(request, { route, model, found, calledAs, held: this.body.held() }), this)
  }

  /** Nothing is waited for here: when and where it runs is the peer's affair. */
  private passOn({ peer, model, name }: PeerResolution, found: FoundModel | undefined): void {
    const { call, asked } = this
    const inForm = found?.inForm
    if (inForm !== undefined && inForm !== model) return this.fail(formsKeepNames(model))
    if (namesInQuery(asked.route)) this.path = withModel(call.target.slice(asked.route.cut), model)
    Object.assign(call.facts, { model: name, host: peer.config.id })
    if (found !== undefined && inForm === undefined) this.edits = editsForPeer(peer.config.filters, found, model)
    this.stage = 'passed on'
    this.destination = peer
    this.body.limit()
    return this.forwardWhenReady()
  }

  private limitFor(model: ModelConfig): WaitLimit | undefined {
    const { clock, loop } = this.options
    const { id } = this.call
    const limitMs = waitLimitMs(this.asked.asked, model, { isTold: this.early !== undefined })
    if (limitMs === undefined) return undefined
    const exceeded = (): void => {
      if (this.stage !== 'waiting') return
      const failure = waitExceeded({ model: model.id, limitMs, entry: loop.explain(id) })
      loop.leaveBehind(id)
      loop.cancel(id, failure)
      this.rejected(failure)
    }
    return createWaitLimit({ limitMs, clock, exceeded })
  }

  /** A body that may be held whole is sent only when it is: then it can be sent again. */
  private forwardWhenReady(): void {
    const { body, destination, stage, tries } = this
    const isSent = stage === 'granted' || stage === 'passed on'
    if (isSent && destination !== undefined && !tries.isUnderWay() && body.isReady())
      tries.forward(destination, { edits: this.edits, path: this.path })
  }
}
