import { doc, type KeyDocs } from './key-docs.ts'

export const FILTER_DOCS: KeyDocs = {
  stripParams: doc('Keys that are taken out of the request, with commas between them. `model` stays.'),
  strip_params: doc('Older spelling of `stripParams`.'),
  setParams: doc('Keys that are set in the request, whatever the client sent. `model` can not be set.'),
  set_params: doc('Older spelling of `setParams`.'),
  setParamsByID: doc(
    'Keys that are set when the model is called by this name, over those of `setParams`. Each name becomes an alias.',
  ),
}

export const TIMEOUT_DOCS: KeyDocs = {
  connect: doc('Seconds until a connection must be accepted; 0: no limit.', '5'),
  keepalive: doc('Seconds of silence after which TCP asks whether the other side is there; 0: never.', '30'),
  responseHeader: doc('Seconds from the end of the request to the first byte of the answer; 0: no limit.', '0'),
  tlsHandshake: doc('Seconds for the TLS handshake. Peers only: engines are reached by plain HTTP.', '10'),
  expectContinue: doc('No effect: lswap answers `Expect: 100-continue` itself.'),
  idleConn: doc('Seconds that an unused connection is kept; 0: for ever.', '4'),
}

export const GROUP_DOCS: KeyDocs = {
  swap: doc('One member at a time. `false`: all may be loaded together.', 'true'),
  exclusive: doc('Loading a member unloads all other groups.', 'true'),
  persistent: doc('Other groups never unload its members.', 'false'),
  members: doc('Models, by id or alias. A model is in one group at most.'),
}

export const MATRIX_DOCS: KeyDocs = {
  vars: doc('Short names for models, used in `sets` and `evict_costs`.'),
  evict_costs: doc('What it costs to lose a loaded model, by variable or id. The cheapest way is taken.', '1'),
  sets: doc('Which models may be loaded together: `a & b`, `(a | b) & c`, `+name` puts in another set.'),
}
