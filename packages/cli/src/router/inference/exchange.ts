import { failureOf, type Failure, type ModelConfig } from '@lswap/core'
import { createAnswer } from '../answer/answer.ts'
import { startAttempt, startForward } from '../attempt.ts'
import { readBody } from '../body/body.ts'
import type { BodyMemory } from '../body/memory.ts'
import type { Edit } from '../body/splice.ts'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import { earlyStreamFor } from '../early/early-stream-for.ts'
import type { EarlyStream } from '../early/early-stream.ts'
import type { Lookout } from '../early/lookout.ts'
import { editsForPeer, editsOf } from '../filter/filters.ts'
import type { InferenceRoute } from '../inference-route.ts'
import type { RouterLimits } from '../limits.ts'
import type { Log } from '../log.ts'
import type { Grant, RunLoop } from '../loop.ts'
import type { FoundModel, ModelScan, ModelScanner } from '../model-name.ts'
import type { ModelSource } from '../model-source.ts'
import type { Names } from '../names/names.ts'
import type { Resolution } from '../names/resolution.ts'
import type { AskedHeaders, BodyLimit } from '../request-headers.ts'
import { requestFor } from '../scheduler-request.ts'
import { createWaitLimit, waitExceeded, waitLimitMs, type WaitLimit } from '../wait-limit.ts'
import { createTries, type Send } from './tries.ts'

export interface ExchangeOptions {
  readonly names: Names
  readonly loop: RunLoop
  readonly memory: BodyMemory
  readonly disk: BodyMemory
  readonly limits: RouterLimits
  readonly clock: Clock
  readonly lookout: Lookout
  readonly log: Log
}

type PeerResolution = Extract<Resolution, { readonly type: 'peer' }>

const formsKeepNames = (model: string): Failure => ({
  code: 'model_not_found',
  message: `In a form a model of a peer is called by the peer's own name for it, "${model}".`,
})

/** What is known of a request before its body. */
interface Asked {
  readonly route: InferenceRoute
  readonly asked: AskedHeaders
  readonly source: Exclude<ModelSource, { readonly type: 'failed' }>
  readonly most: BodyLimit
}

/**
 * `reading`: the body, for its model · `waiting`: for a grant · `granted`: the grant is ours and will be given back
 * exactly once · `passed on`: it is a peer's · `over`: nothing is held any more, everything that still comes is ignored.
 */
type Stage = 'reading' | 'waiting' | 'granted' | 'passed on' | 'over'

/** A request from the first byte of its body to the last of its answer. */
export const exchange = (
  { names, loop, memory, disk, limits, clock, lookout, log }: ExchangeOptions,
  call: Call,
  { route, asked, source, most }: Asked,
): void => {
  const { id, req, facts } = call
  let stage: Stage = 'reading'
  let edits: readonly Edit[] = []
  /** Where the request may go; used once for each attempt. */
  let send: Send | undefined
  let early: EarlyStream | undefined
  let waitLimit: WaitLimit | undefined
  let submittedAt = call.startedAt

  const answer = createAnswer(call, () => tries.resume())
  const body = readBody(
    { req, length: asked.length, most, memory, disk, limits, clock },
    {
      chunk: (chunk) => guarded(() => scanned((scanner) => scanner.push(chunk))),
      ready: () => guarded(() => (stage === 'reading' ? scanned((scanner) => scanner.end()) : forwardWhenReady())),
      failed: (failure) => fail(failure),
    },
  )
  const tries = createTries(
    { call, route, answer, body, loop, clock, limits },
    { heard: () => early?.stop(), ended: () => leave(), failed: (failure, mayRepeat) => tried(failure, mayRepeat) },
  )
  call.onGone = () => leave()
  call.onCut = (failure) => fail(failure)

  /** Gives back whatever the stage holds. */
  const leave = (): void => {
    const was = stage
    stage = 'over'
    early?.stop()
    waitLimit?.stop()
    tries.stop()
    body.close()
    if (was === 'waiting') loop.cancel(id)
    if (was === 'granted') loop.served(id, 'done')
  }

  const fail = (failure: Failure): void => {
    if (stage === 'over') return
    leave()
    facts.failure = failure
    tries.refuse(failure)
  }

  /** A bug ends this request and no other. */
  const guarded = (step: () => void): void => {
    try {
      step()
    } catch (error) {
      log.error({ err: error, request: id }, 'bug: a request could not be carried on')
      fail(failureOf(error))
    }
  }

  const scanned = (look: (scanner: ModelScanner) => ModelScan): void => {
    if (source.type !== 'body') return
    const scan = look(source.scanner)
    if (scan.type === 'failed') fail(scan.failure)
    if (stage !== 'reading') return
    if (scan.type === 'found') submit(scan.model, scan)
    else if (scan.type === 'named') submit(scan.model, undefined)
  }

  const submit = (asksFor: string, found: FoundModel | undefined): void => {
    const named = names.resolve(asksFor, call)
    if (named.type === 'failed') return fail(named.failure)
    if (named.type === 'peer') return passOn(named, found)
    const { model, calledAs } = named
    facts.model = model.id
    if (found !== undefined && route.modelIn !== 'multipart') edits = editsOf(model, found, calledAs)
    early = earlyStreamFor({ call, route, answer, lookout, clock }, model, found)
    stage = 'waiting'
    submittedAt = clock.now()
    early?.waits()
    waitLimit = limitFor(model)
    waitLimit?.waits()
    body.limit()
    const request = requestFor(call, model, { route, asked, calledAs })
    facts.priority = request.priority
    return loop.submit(request, { granted, rejected, closed: fail })
  }

  /** Nothing is waited for here: when and where it runs is the peer's affair. */
  const passOn = ({ peer, model, name }: PeerResolution, found: FoundModel | undefined): void => {
    if (found !== undefined && route.modelIn === 'multipart' && found.model !== model)
      return fail(formsKeepNames(model))
    facts.model = name
    facts.host = peer.config.id
    if (found !== undefined && route.modelIn !== 'multipart') edits = editsForPeer(peer.config.filters, found, model)
    stage = 'passed on'
    send = (request, events) => startForward((sent, handler) => peer.forward(sent, handler), request, events)
    body.limit()
    return forwardWhenReady()
  }

  const limitFor = (model: ModelConfig): WaitLimit | undefined => {
    const limitMs = waitLimitMs(asked, model, { isTold: early !== undefined })
    if (limitMs === undefined) return undefined
    const exceeded = (): void => {
      if (stage !== 'waiting') return
      const failure = waitExceeded({ model: model.id, limitMs, entry: loop.explain(id) })
      loop.leaveBehind(id)
      loop.cancel(id, failure)
      rejected(failure)
    }
    return createWaitLimit({ limitMs, clock, exceeded })
  }

  const granted = (given: Grant): void => {
    stage = 'granted'
    early?.granted()
    send = (request, events) => startAttempt(given, request, events)
    facts.host = given.placement.host
    facts.waitMs = clock.now() - submittedAt
    forwardWhenReady()
  }

  const rejected = (failure: Failure): void => {
    // The loop holds nothing for it any more
    stage = 'reading'
    fail(failure)
  }

  /** A body that may be held whole is sent only when it is: then it can be sent again. */
  const forwardWhenReady = (): void => {
    const isSent = stage === 'granted' || stage === 'passed on'
    if (isSent && send !== undefined && !tries.isUnderWay() && body.isReady()) tries.forward(send, edits)
  }

  const tried = (failure: Failure, mayRepeat: boolean): void => {
    // A peer has an order of its own: there is nothing to restart, and nowhere to queue again
    if (!mayRepeat || stage === 'passed on') return fail(failure)
    log.warn({ request: id, model: facts.model, failure }, 'trying again: the engine failed before it answered')
    stage = 'waiting'
    early?.waits()
    waitLimit?.waits()
    return loop.served(id, 'retry')
  }

  if (source.type === 'name') guarded(() => submit(source.name, undefined))
}
