import { DEFAULT_KEPT, MOST_KEPT } from '../kept.ts'
import { DEFAULT_LIMITS } from '../../schedule/options.ts'
import { FILTER_DOCS, TIMEOUT_DOCS } from './docs-shared.ts'
import { doc, under, type KeyDocs } from './key-docs.ts'

const PEER: KeyDocs = {
  proxy: doc('Its address; the path of a request is put behind it. Required.'),
  models: doc('The models that it has. Required.'),
  apiKey: doc("The key that it wants: sent as `Authorization: Bearer` and `x-api-key`, in place of the client's."),
  filters: doc('What is edited in the JSON of requests to it.'),
  ...under('filters', FILTER_DOCS),
  'filters.setParamsByID': doc('No effect: models of peers have no other names here.'),
  timeouts: doc('Limits of connections to it.'),
  ...under('timeouts', TIMEOUT_DOCS),
  'timeouts.connect': doc('Seconds until a connection must be accepted; 0: no limit.', '30'),
  'timeouts.responseHeader': doc(
    'Seconds from the end of the request to the first byte of the answer; 0: no limit.',
    '60',
  ),
}

const SELECTOR: KeyDocs = {
  strategy: doc(
    '`pin`: the first target · `warm`: the first that is loaded, else that loads, else the first · `spillover`: fills the targets one after the other. Required.',
  ),
  targets: doc('Models by id or alias, and models of peers. Required.'),
  settings: doc('Settings of the strategy.'),
  'settings.spillover': doc('Requests at once on a target before the next one is used.', '1'),
  name: doc('Name for people, in lists.'),
  description: doc('Sentence for people, in lists.'),
  unlisted: doc('Leaves it out of lists.', 'false'),
  metadata: doc('Anything, listed with it.'),
}

export const TOP_DOCS: KeyDocs = {
  macros: doc(
    'Names for texts, numbers and truths: `${NAME}` stands for one everywhere below. A macro may use those before it.',
  ),
  'macros.*': doc('Its value.'),
  healthCheckTimeout: doc('Seconds until a started engine must be ready; at least 15.', '120'),
  globalTTL: doc('Seconds without a request until a model is unloaded; 0: never.', '0'),
  unloadTimeout: doc('Seconds for a stop until the process is killed.', '10'),
  startPort: doc('The first of the thousand ports that `${PORT}` is taken from.', '5800'),
  logLevel: doc('How much the log of lswap says.', 'info'),
  logTimeFormat: doc('How log lines for people tell the time; `""`: 15:04:05. JSON lines have ISO 8601.', '""'),
  logToStdout: doc(
    'What `lswap serve` shows. `proxy`: its own log, on stderr · `upstream`: what engines print, on stdout · `both` · `none`.',
    'proxy',
  ),
  apiKeys: doc(
    'Who may come in: keys, or keys with a name and limits. Without any: everybody who reaches the address.',
    '[]',
  ),
  'apiKeys[].key': doc('The key.'),
  'apiKeys[].keyFile': doc('A file that holds the key, beside this one.'),
  'apiKeys[].name': doc('What logs, queues and limits call its bearer.', 'key-1, key-2, …'),
  'apiKeys[].scopes': doc(
    '`infer`: inference · `read`: lists, logs, metrics · `admin`: load, unload, pin, cancel, reload.',
    'all',
  ),
  'apiKeys[].models': doc('The models that it reaches, as patterns with `*` and `?`.', 'all'),
  'apiKeys[].maxPriority': doc('Requests that ask for more get this much.'),
  'apiKeys[].concurrency': doc('Its requests that run at once; more of them wait.'),
  cors: doc('Origins of other sites whose pages may send requests.', '[]'),
  allowedHosts: doc('More names of this machine; `*.example.org` stands for every name below.', '[]'),
  sendLoadingState: doc('Tells waiting chat streams how far the load and the queue are.', 'false'),
  heartbeat: doc('Comments keep waiting streams open; absent: for streams that ask for it.'),
  maxWait: doc(
    'Seconds that a request waits for its turn if it hears nothing meanwhile: then 503 with `Retry-After`, and the load goes on; 0: no limit. A client says its own with `X-Lswap-Max-Wait`.',
    '0',
  ),
  includeAliasesInList: doc('Lists each alias as a model of its own.', 'false'),
  maxQueued: doc('Requests that may wait in all; more are refused with 429.', String(DEFAULT_LIMITS.maxQueued)),
  queueTimeoutMs: doc('Milliseconds that a request may wait.', String(DEFAULT_LIMITS.queueTimeoutMs)),
  drainTimeoutMs: doc(
    'Milliseconds that running requests get before a swap cuts them; `never`: as long as they take.',
    String(DEFAULT_LIMITS.drainTimeoutMs),
  ),
  maxBodyBytes: doc('The largest JSON body.', '256MiB'),
  maxUploadBytes: doc('The largest form.', '4GiB'),
  waitingBodyMemory: doc('Memory for the bodies of all waiting requests.', '64MiB'),
  waitingBodyDisk: doc('Room in files for the bodies of all waiting requests.', '8GiB'),
  upstream: doc('Settings of `/upstream/{model}/…`.'),
  'upstream.ignorePaths': doc(
    'Regular expressions: requests to these paths never load a model.',
    'scripts, styles, images',
  ),
  hooks: doc('What is done at certain moments.'),
  'hooks.on_startup': doc('At the start.'),
  'hooks.on_startup.preload': doc(
    'Models that are loaded, one after the other. Those that swap each other out are best in a group.',
    '[]',
  ),
  profiles: doc('Names that mean other models while a profile is active. One or none is, chosen while lswap runs.'),
  'profiles.*.description': doc('Sentence for people.'),
  'profiles.*.pins': doc('Name → model, alias, selector or model of a peer; nothing: the name means nothing (404).'),
  selectors: doc('Names that stand for one of several models, chosen for each request.'),
  ...under('selectors.*', SELECTOR),
  peers: doc(
    'Other servers. Their models can be asked for here as `<peer>/<model>`, or `<model>` where only one has it.',
  ),
  ...under('peers.*', PEER),
  logRequests: doc('Logs a line for each inference request when it ends; `false`: only for those that fail.', 'true'),
  metricsMaxInMemory: doc(
    `Requests that ended and are remembered for \`lswap explain\` and \`GET /api/requests\`; ${MOST_KEPT} at most.`,
    String(DEFAULT_KEPT),
  ),
  captureBuffer: doc('Megabytes for captured requests.', '5'),
  store: doc('Where activity is kept.'),
  'store.path': doc('A file.'),
  ui: doc('Settings of the web page.'),
  'ui.activity': doc('Of its activity table.'),
  'ui.activity.session_id': doc('Headers that name a session.'),
  performance: doc('System monitoring.'),
  'performance.disabled': doc('Switches it off.', 'false'),
  'performance.every': doc('Time between two looks.', '5s'),
  agents: doc('Agents on other machines, which `lswap agent` runs.'),
  'agents[].id': doc('What this host is called here: in `models.*.hosts`, lists, metrics and logs.'),
  'agents[].url': doc('Its address with the port, like `https://gpu-box:8078`.'),
  'agents[].tokenFile': doc('A file that holds its token, by its path from the folder of this file.'),
  'agents[].tls': doc('How it is trusted.'),
  'agents[].tls.caFile': doc('Certificates in PEM that are trusted for it: its own, where nobody signed that.'),
  embeddedAgent: doc('Whether this machine runs models itself, as the host `local`.', 'true'),
}
