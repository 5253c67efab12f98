import { doc, under, type KeyDocs } from './key-docs.ts'
import { FILTER_DOCS, TIMEOUT_DOCS } from './docs-shared.ts'

const MODEL: KeyDocs = {
  cmd: doc(
    'The command that starts the engine, split as a shell would, without a shell. `#` lines are comments; `${PORT}` is the port it must listen on. Required.',
  ),
  cmdStop: doc('Run in place of the stop signal; `${PID}` is the process. For `docker stop` and the like.'),
  proxy: doc('Where the engine listens, when it is not on `${PORT}` of this machine.', 'http://127.0.0.1:${PORT}'),
  checkEndpoint: doc('Path that answers 200 once the engine is ready; `none`: ready as soon as it runs.', '/health'),
  ttl: doc('Seconds without a request until it is unloaded; 0: never; -1: as `globalTTL`.', '-1'),
  restoreAfter: doc(
    'Seconds without a request for what took its place, until it is loaded again by itself; then `ttl` does not unload it. 0: on request only.',
    '0',
  ),
  unloadTimeout: doc('Seconds for a stop until the process is killed; 0: as the global one.', '0'),
  healthCheckTimeout: doc('Seconds until it must be ready; 0: as the global one.', '0'),
  aliases: doc('More names. Each is unique in the whole file.', '[]'),
  env: doc('`NAME=value` lines, added to the environment of lswap.', '[]'),
  unlisted: doc('Leaves it out of lists; it can still be asked for.', 'false'),
  name: doc('Name for people, in lists.'),
  description: doc('Sentence for people, in lists.'),
  concurrencyLimit: doc("Requests that it serves at once; 0: the engine's slots.", '0'),
  macros: doc('Macros of this model; they win over those of the file.'),
  'macros.*': doc('Text, number or truth. `${NAME}` stands for it below.'),
  queueLimit: doc('Requests that may wait for it; more are refused with 429.', '512'),
  apiKey: doc("The key that the engine itself wants: sent with every request to it, in place of the client's."),
  stopSignal: doc('The signal that asks it to end.', 'SIGTERM'),
  forceKill: doc(
    '`false`: never SIGKILL, whatever happens. A process that does not end within `unloadTimeout` is stuck: it keeps its memory, and nothing is started in its place.',
    'true',
  ),
  onAgentExit: doc('What becomes of it when lswap ends: `stop`, or `keep` it running for the next one.', 'stop'),
  pinned: doc('Once loaded it stays: never evicted, never unloaded for being idle.', 'false'),
  memory: doc('What it needs: one size, or a size for each device. For `routing.router.use: memory`.'),
  priority: doc('Priority of a request that names none.', '0'),
  criticality: doc('Criticality of a request that names none.', 'by priority'),
  useModelName: doc('What the engine is told as `model`, in place of what the client sent.'),
  filters: doc('What is edited in the JSON of its requests.'),
  compat: doc('Settings for particular engines.'),
  'compat.ignoreWebsockets': doc('Its WebSockets never load it, and do not keep it loaded.', 'false'),
  metadata: doc('Anything, listed with the model. A value that is exactly one macro keeps its type.'),
  sendLoadingState: doc('Tells a waiting chat stream how far the load and the queue are.', 'as the global one'),
  heartbeat: doc('Comments keep a waiting stream open; absent: for streams that ask for it.'),
  maxWait: doc(
    'Seconds that its requests wait for their turn if they hear nothing meanwhile; 0: no limit.',
    'as the global one',
  ),
  capabilities: doc('What it can do, for lists. Nothing is refused by it.'),
  'capabilities.in': doc('What it reads.', '[]'),
  'capabilities.out': doc('What it makes.', '[]'),
  'capabilities.tools': doc('It calls functions.', 'false'),
  'capabilities.reranker': doc('It sorts documents (`/v1/rerank`).', 'false'),
  'capabilities.context': doc('Tokens of its context; 0: not said.', '0'),
  timeouts: doc('Limits of connections to the engine.'),
  hosts: doc('Hosts that may run it: ids of agents, and `local`. Of agents only those that have the model do.', 'all'),
  adapters: doc(
    'LoRAs as names of their own, without a swap: alias → a file (loaded with `--lora`), the number of one that the command loads, or the name by which the engine knows it.',
  ),
  'adapters.*.path': doc('The file.'),
  'adapters.*.id': doc("The engine's number or name for it."),
  'adapters.*.scale': doc('How much it counts.', '1'),
  saveSlots: doc('Keeps conversations across swaps.'),
}

export const MODEL_DOCS: KeyDocs = {
  models: doc('The models, by id. The id is the name that requests use.'),
  ...under('models.*', { ...MODEL, ...under('filters', FILTER_DOCS), ...under('timeouts', TIMEOUT_DOCS) }),
}
