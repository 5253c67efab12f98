import { eventsPanel, type EventRow } from './events.ts'
import { hostsPanel, type HostRow } from './hosts.ts'
import { modelsPanel } from './models.ts'
import { agentModelsPanel } from './agent-models.ts'
import { AGENT_PANELS, PANELS, type Panel, type PanelName } from './panel.ts'
import type { SourceKind } from '../state/ui.ts'
import { queuePanel } from './queue.ts'
import type { ModelState, WaitingState } from '@lswap/core/protocol'

interface PanelItems {
  readonly hosts: HostRow
  readonly models: ModelState
  readonly queue: WaitingState
  readonly events: EventRow
}

/** One that forgets what it lists: whoever needs no more than rows takes each alike. */
export type AnyPanel = Panel<unknown>

const PANELS_BY_NAME: { readonly [Name in PanelName]: Panel<PanelItems[Name]> } = {
  hosts: hostsPanel,
  models: modelsPanel,
  queue: queuePanel,
  events: eventsPanel,
}

export const panelOf = (name: PanelName, kind: SourceKind): AnyPanel =>
  (kind === 'agents' && name === 'models' ? agentModelsPanel : PANELS_BY_NAME[name]) as AnyPanel

/** In the order in which they are shown. */
export const panelsOf = (kind: SourceKind): readonly PanelName[] => (kind === 'agents' ? AGENT_PANELS : PANELS)
