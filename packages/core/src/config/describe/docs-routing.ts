import { DEFAULT_FIFO, DEFAULT_SERIAL } from '../../schedule/options.ts'
import { GROUP_DOCS, MATRIX_DOCS } from './docs-shared.ts'
import { doc, under, type KeyDocs } from './key-docs.ts'

const groups = 'Groups of models, by name: what may be loaded together.'
const matrix = 'The combinations of models that may be loaded together.'

const ROUTING: KeyDocs = {
  router: doc('What must go when a model is loaded.'),
  'router.use': doc(
    '`group`: as the groups say · `exclusive`: one model at a time · `matrix`: as the matrix says · `memory`: what does not fit.',
    'groups, else a matrix, else exclusive',
  ),
  'router.settings': doc('Settings of the routers.'),
  'router.settings.groups': doc(groups),
  'router.settings.matrix': doc(matrix),
  scheduler: doc('Who is served next.'),
  'scheduler.use': doc(
    '`serial`: by score (priority, waiting, what a swap costs) · `fifo`: by priority, then arrival.',
    'serial',
  ),
  'scheduler.settings': doc('Settings of the schedulers.'),
  'scheduler.settings.fifo': doc('For `fifo`.'),
  'scheduler.settings.fifo.priority': doc('Order between models, by id or alias; higher goes first.', '0'),
  'scheduler.settings.fifo.fairAfterMs': doc(
    'Milliseconds of waiting after which nobody who came later goes first.',
    String(DEFAULT_FIFO.fairAfterMs),
  ),
  'scheduler.settings.serial': doc('For `serial`.'),
  'scheduler.settings.serial.exclusive': doc(
    'One model at a time, whatever `router` says; `auto`: where no router is configured.',
    'auto',
  ),
  'scheduler.settings.serial.agingSeconds': doc(
    'Seconds of waiting that are worth a point of priority; 0: waiting is worth nothing.',
    String(DEFAULT_SERIAL.agingSeconds),
  ),
  'scheduler.settings.serial.swapAffinity': doc('Points that a swap costs; `auto`: by how long loads take.', 'auto'),
  'scheduler.settings.serial.minResidencyMs': doc(
    'Milliseconds that a loaded model stays while somebody wants it.',
    String(DEFAULT_SERIAL.minResidencyMs),
  ),
  'scheduler.settings.serial.fairShare': doc('Callers share the machine alike.', String(DEFAULT_SERIAL.fairShare)),
  'scheduler.settings.serial.backfill': doc('Requests that delay nobody go ahead.', String(DEFAULT_SERIAL.backfill)),
  picker: doc('Which of several ready replicas serves.'),
  'picker.use': doc(
    '`tree`: by queue, cache and adapters · `least-loaded`: by load · `prefix`: the tree, and a conversation goes back to who has it in its cache.',
    'tree',
  ),
  'picker.profile': doc('The thresholds to begin with.', 'llama'),
  'picker.kvCacheThreshold': doc('Share of the KV cache above which a replica counts as full.'),
  'picker.queueThresholdCritical': doc('Waiting requests above which a replica takes no sheddable ones.'),
  'picker.queueingThresholdLoRA': doc('Waiting requests up to which the adapter comes before the queue.'),
  'picker.loraAffinityThreshold': doc('How often a replica with the adapter is preferred.'),
  'picker.prefixQueueThreshold': doc(
    'For `prefix`: by how many requests the queue of who has the conversation may be the longer one.',
  ),
  'picker.onSaturation': doc('What sheddable requests do when all are full: `wait` or `shed` (429).', 'wait'),
  'picker.staleAfterMs': doc("Milliseconds after which an engine's figures count as old."),
}

export const ROUTING_DOCS: KeyDocs = {
  groups: doc(`${groups} The older place; \`routing.router.settings.groups\` is the newer one.`),
  ...under('groups.*', GROUP_DOCS),
  matrix: doc(`${matrix} The older place; \`routing.router.settings.matrix\` is the newer one.`),
  ...under('matrix', MATRIX_DOCS),
  routing: doc('How it is decided who is served, and what must go.'),
  ...under('routing', ROUTING),
  ...under('routing.router.settings.groups.*', GROUP_DOCS),
  ...under('routing.router.settings.matrix', MATRIX_DOCS),
  devices: doc('Limits on what is used of devices: device → size; or host → its devices. Absent: what is found.'),
}
