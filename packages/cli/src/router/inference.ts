import type { ForwardRequest } from '@lswap/agent'
import { failureOf, MAX_ATTEMPTS, type Failure, type ModelConfig } from '@lswap/core'
import { createAnswer } from './answer/answer.ts'
import { passInformation } from './answer/information.ts'
import { answerHeaders, ownHeaders } from './answer/own-headers.ts'
import { sendFailure } from './answer/send.ts'
import { startAttempt, startForward, type Attempt, type AttemptEvents } from './attempt.ts'
import { readBody } from './body/body.ts'
import type { Edit } from './body/splice.ts'
import type { BodyMemory } from './body/memory.ts'
import type { Call } from './call.ts'
import type { Catalog } from './catalog.ts'
import type { Clock } from './clock.ts'
import { dialectOf } from './early/dialect.ts'
import { createEarlyStream, type EarlyStream } from './early/early-stream.ts'
import type { Lookout } from './early/lookout.ts'
import { earlyWish } from './early/wish.ts'
import { editsForPeer, editsOf } from './filter/filters.ts'
import { forwardRequest } from './forward-request.ts'
import type { InferenceRoute } from './inference-route.ts'
import type { RouterLimits } from './limits.ts'
import type { Log } from './log.ts'
import type { Grant, RunLoop } from './loop.ts'
import type { FoundModel, ModelScan, ModelScanner } from './model-name.ts'
import { isEdited, sourceOf, type ModelSource } from './model-source.ts'
import { limitOf, neverLoads } from './route-rules.ts'
import { requestFor } from './scheduler-request.ts'
import { openTunnel, type ClientTunnel } from './upgrade/tunnel.ts'
import type { Names } from './names/names.ts'
import type { Resolution } from './names/resolution.ts'
import type { Peers } from './peers/peers.ts'
import { readHeaders, type AskedHeaders, type BodyLimit } from './request-headers.ts'
import { metered } from './usage/metered.ts'

export interface InferenceOptions {
  readonly catalog: Catalog
  readonly names: Names
  readonly peers: Peers
  readonly loop: RunLoop
  readonly memory: BodyMemory
  readonly disk: BodyMemory
  readonly limits: RouterLimits
  /** Paths of engines that never load their model. */
  readonly ignorePaths: readonly RegExp[]
  readonly clock: Clock
  readonly lookout: Lookout
  readonly log: Log
}

/** Serves a request that names its model, in its body or beside it. */
export const serveInference = (options: InferenceOptions, call: Call, route: InferenceRoute): void => {
  const { modelIn } = route
  const most = limitOf(options.limits, modelIn)
  const isOpaque = typeof modelIn === 'object' && !isEdited(options.catalog, modelIn)
  const reading = readHeaders(call.req.headers, most, { isOpaque })
  if (!reading.ok) return refuse(call, reading.failure)
  const source = sourceOf(options, call, route)
  if (source.type === 'failed') return refuse(call, source.failure)
  call.proceed()
  // What only looks at a model never loads it
  const asked = neverLoads(options.ignorePaths, modelIn) ? { ...reading.asked, noLoad: true } : reading.asked
  return exchange(options, call, { route, asked, source, most })
}

const refuse = (call: Call, failure: Failure): void => {
  call.facts.failure = failure
  sendFailure(call, failure, ownHeaders(call))
}

type PeerResolution = Extract<Resolution, { readonly type: 'peer' }>

const formsKeepNames = (model: string): Failure => ({
  code: 'model_not_found',
  message: `In a form a model of a peer is called by the peer's own name for it, "${model}".`,
})

/** For the picker: replicas that have it loaded are preferred. */
const adapterOf = ({ adapters = [] }: ModelConfig, name: string): { readonly adapter?: string } =>
  adapters.some(({ alias }) => alias === name) ? { adapter: name } : {}

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

const exchange = (
  { names, loop, memory, disk, limits, clock, lookout, log }: InferenceOptions,
  call: Call,
  { route, asked, source, most }: Asked,
): void => {
  const { id, req, facts } = call
  let stage: Stage = 'reading'
  let edits: readonly Edit[] = []
  /** Where the request may go; used once for each attempt. */
  let send: ((request: ForwardRequest, events: AttemptEvents) => Attempt) | undefined
  let attempt: Attempt | undefined
  let early: EarlyStream | undefined
  let tunnel: ClientTunnel | undefined
  const isPassive = route.passive === true
  let submittedAt = call.startedAt

  const answer = createAnswer(call, () => attempt?.resume())
  const body = readBody(
    { req, length: asked.length, most, memory, disk, limits, clock },
    {
      chunk: (chunk) => guarded(() => scanned((scanner) => scanner.push(chunk))),
      ready: () => guarded(() => (stage === 'reading' ? scanned((scanner) => scanner.end()) : forwardWhenReady())),
      failed: (failure) => fail(failure),
    },
  )
  call.onGone = () => leave()
  call.onCut = (failure) => fail(failure)

  /** Gives back whatever the stage holds. */
  const leave = (): void => {
    const was = stage
    stage = 'over'
    early?.stop()
    attempt?.abort()
    attempt = undefined
    body.close()
    if (was === 'waiting') loop.cancel(id)
    if (was === 'granted') loop.served(id, 'done')
  }

  const leaveTunnel = (isWhole: boolean): void => {
    // The client's last bytes may still be on their way to the engine, and the agent sees to them
    if (isWhole) attempt = undefined
    leave()
  }

  const fail = (failure: Failure): void => {
    if (stage === 'over') return
    leave()
    facts.failure = failure
    if (tunnel === undefined) answer.fail(failure, ownHeaders(call))
    else call.reset()
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
    early = earlyFor(model, found)
    stage = 'waiting'
    submittedAt = clock.now()
    early?.waits()
    body.limit()
    const request = { ...requestFor(call, model, { route, asked }), ...adapterOf(model, calledAs) }
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

  const earlyFor = (model: ModelConfig, found: FoundModel | undefined): EarlyStream | undefined => {
    const { streams } = route
    if (found?.stream !== true || streams === undefined) return undefined
    const wish = earlyWish({ streams, headers: req.headers, model })
    if (wish === undefined) return undefined
    const dialect = dialectOf({ streams, id, model: found.model, startedAt: call.startedAt })
    return createEarlyStream({ wish, call, answer, dialect, lookout, clock })
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
    if (!isSent || send === undefined || attempt !== undefined || !body.isReady()) return
    const grantedAt = clock.now()
    facts.attempts = (facts.attempts ?? 0) + 1
    let isOver = false
    const begun = (): readonly string[] => {
      body.forget()
      loop.answered(id)
      const timeline = (facts.waitMs ?? 0) > 0 ? loop.timelineOf(id) : undefined
      return answerHeaders(call, { upstreamMs: clock.now() - grantedAt, timeline })
    }
    const forwarded = forwardRequest(call, body, { edits, cut: route.cut, isPassive })
    const events: AttemptEvents = {
      onInformation: (status, headers) => passInformation(call.res, { status, headers }),
      onUpgrade: (head) => {
        if (call.upgraded === undefined) return
        const own = begun()
        call.isSwitched = true
        tunnel = openTunnel(
          { upgraded: call.upgraded, clock, halfClosedMs: limits.halfClosedMs },
          { of: head, own },
          { onData: (chunk) => attempt?.write(chunk) ?? true, onEnd: () => attempt?.end(), onOver: leaveTunnel },
        )
      },
      onDrain: () => tunnel?.resume(),
      onHead: (head) => answer.open(head, begun()),
      onData: (chunk) => {
        early?.stop()
        return (tunnel ?? answer).write(chunk)
      },
      onEnd: (trailers) => {
        if (tunnel !== undefined) return tunnel.end()
        isOver = true
        attempt = undefined
        answer.end(trailers)
        leave()
        return undefined
      },
      onFailed: (failure, mayRetry) => {
        isOver = true
        attempt = undefined
        body.closeRest()
        // A peer has an order of its own: there is nothing to restart, and nowhere to queue again
        const isFinal = !mayRetry || facts.attempts === MAX_ATTEMPTS || stage === 'passed on'
        if (isFinal || !body.isReplayable()) return fail(failure)
        log.warn({ request: id, model: facts.model, failure }, 'trying again: the engine failed before it answered')
        stage = 'waiting'
        early?.waits()
        return loop.served(id, 'retry')
      },
    }
    const watched = metered(events, { call, route, clock })
    const started = send(forwarded, watched)
    // It may have failed already, and the next one be under way
    if (!isOver) attempt = started
  }

  if (source.type === 'name') guarded(() => submit(source.name, undefined))
}
