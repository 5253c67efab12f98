/**
 * What makes a request one for node:http: framing that is not counted, questions before the body, another protocol, and what
 * node:http takes for `Connection` as well.
 */
const NOT_PLAIN: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'http2-settings',
  'proxy-connection',
])
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/

/** What clients of engines, browsers and proxies send. */
const COMMON =
  `accept accept-encoding accept-language anthropic-beta anthropic-dangerous-direct-browser-access anthropic-version
  api-key authorization cache-control connection content-length content-type cookie dnt forwarded host http-referer if-none-match
  keep-alive openai-beta openai-organization openai-project origin pragma priority referer sec-ch-ua sec-ch-ua-mobile
  sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user sec-gpc te traceparent tracestate
  upgrade-insecure-requests user-agent via x-api-key x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-proto
  x-lswap-early x-lswap-max-wait x-lswap-no-load x-lswap-priority x-real-ip x-request-id x-stainless-arch x-stainless-async
  x-stainless-helper-method x-stainless-lang x-stainless-os x-stainless-package-version x-stainless-read-timeout
  x-stainless-retry-count x-stainless-runtime x-stainless-runtime-version x-stainless-timeout x-title`.split(/\s+/)

const titled = (name: string): string => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

/**
 * How a name that came is looked up. To make and compare them anew takes 30 to 50 ns more for each, so those of most clients are made
 * once. None is added: what came would keep its whole head in memory, and whoever makes names up could take all the room.
 */
const lowers: ReadonlyMap<string, string> = new Map(
  COMMON.flatMap((lower) => [
    [lower, lower],
    [titled(lower), lower],
  ]),
)

/** In lower case; `''`: no request that holds it is plain. */
export const lowerOf = (name: string): string => {
  const common = lowers.get(name)
  if (common !== undefined) return common
  const lower = NAME.test(name) ? name.toLowerCase() : ''
  return NOT_PLAIN.has(lower) ? '' : lower
}
