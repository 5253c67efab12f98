import type { Test } from 'tap'
import { comparable, count, OF_REQUESTS, OF_RESPONSES, type Pair } from './declared.ts'
import { play, type Outcome, type Row } from './exchange.ts'
import { valueOf } from './message.ts'
import type { Ways } from './ways.ts'

/** Plays a row both ways and compares everything that arrives; gives back what came over the router. */
export const assertSame = async (t: Test, ways: Ways, row: Row): Promise<Outcome> => {
  const direct = await play(ways, 'direct', row)
  const routed = await play(ways, 'routed', row)
  assertSameRequest(t, { direct: direct.request, routed: routed.request })
  if (direct.response === undefined || routed.response === undefined) {
    t.fail('a head came on both ways', { direct: direct.response, routed: routed.response })
  } else assertSameResponse(t, { direct: direct.response, routed: routed.response })
  return routed
}

export const assertSameRequest = (t: Test, pair: Pair): void => {
  const { direct, routed } = pair
  const fields = comparable(pair, OF_REQUESTS)
  t.equal(routed.start, direct.start, 'request line')
  t.same(fields.routed, fields.direct, 'request fields')
  t.ok(routed.body.equals(direct.body), 'request body')
  t.same(routed.trailers, routed.framing === 'chunked' ? direct.trailers : [], 'request trailers')
  t.ok(count(routed, 'content-length') + count(routed, 'transfer-encoding') <= 1, 'request framed once')
  // A chunked body that was held whole goes on with its length
  if (direct.framing !== 'chunked') t.equal(routed.framing, direct.framing, 'request framing')
}

export const assertSameResponse = (t: Test, pair: Pair): void => {
  const { direct, routed } = pair
  const fields = comparable(pair, OF_RESPONSES)
  t.equal(routed.start, direct.start, 'status line')
  t.same(fields.routed, fields.direct, 'response fields')
  t.ok(routed.body.equals(direct.body), 'response body')
  t.same(routed.trailers, direct.trailers, 'response trailers')
  t.ok(count(routed, 'content-length') + count(routed, 'transfer-encoding') <= 1, 'response framed once')
  // What goes until the engine closes gets an end that a client can tell from a cut
  t.equal(routed.framing, direct.framing === 'close' ? 'chunked' : direct.framing, 'response framing')
  t.equal(valueOf(routed.fields, 'content-length'), valueOf(direct.fields, 'content-length'), 'Content-Length')
}
