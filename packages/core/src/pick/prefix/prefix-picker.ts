import type { Candidate } from '../endpoint.ts'
import { heldAt, leastWaiting } from '../filter/longest-prefix.ts'
import type { Pick, PickAnswer, Picker, PickStep } from '../picker.ts'
import type { PickerSettings } from '../settings.ts'
import { PREFIX_TREE } from '../tree.ts'
import { treePicker } from '../tree-picker.ts'
import type { TreePickerOptions } from '../tree-picker.ts'
import type { PrefixChain } from './chain.ts'

/** The picker's name, by which the router knows whether prompts are to be read for it. */
export const PREFIX_PICKER = 'prefix'

const STEP = 'longest-prefix'

/** The other steps that can lose a holder. */
const WHY: Readonly<Record<string, string>> = {
  'low-queue': 'has a long queue',
  'has-capacity': 'has no capacity',
  'lora-affinity': 'lacks its adapter',
}

const whyNot = (trace: readonly PickStep[], holder: Candidate): string => {
  const compared = trace.findLast(({ node }) => node === STEP)
  if (compared?.in.includes(holder) === true)
    return `has the worse queue: ${holder.waiting} wait there, ${leastWaiting(compared.in)} elsewhere`
  const lost = trace.findLast(({ in: given, out }) => out.length > 0 && given.includes(holder) && !out.includes(holder))
  const why = WHY[lost?.node ?? '']
  return why ?? (holder.sample === 'fresh' ? 'has no capacity' : 'has no recent metrics')
}

/** What became of the prompt's prefix; empty where nobody holds any of it. */
const wordsFor = ({ chosen, trace = [] }: Pick, chain: PrefixChain): string => {
  const all = trace[0]?.in ?? []
  let holder: Candidate | undefined
  let longest = 0
  for (const candidate of all) {
    const held = heldAt(candidate.endpoint, chain, longest)
    if (held <= longest) continue
    longest = held
    holder = candidate
  }
  if (holder === undefined) return ''
  const ofAll = `of the prompt's ${chain.length} blocks`
  if (heldAt(chosen, chain, longest) === longest) return `; it holds the first ${longest} ${ofAll}`
  const { host } = holder.endpoint.placement
  return `; ${host} holds the first ${longest} ${ofAll} and ${whyNot(trace, holder)}`
}

/**
 * Sends a prompt to where its longest prefix was sent before, unless the queue there is worse than the best by more than a
 * threshold. All else is the filter tree's: capacity, adapters, old metrics, and who gets what nobody holds.
 */
export const prefixPicker = (settings: PickerSettings, options: TreePickerOptions): Picker<PickAnswer> => {
  const tree = treePicker(settings, { ...options, tree: PREFIX_TREE, name: PREFIX_PICKER })
  return {
    ...tree,
    pick(request, endpoints, now): PickAnswer {
      const answer = tree.pick(request, endpoints, now)
      const { prefix } = request
      if (prefix === undefined || answer.chosen === undefined || endpoints.length === 1) return answer
      return { ...answer, reason: answer.reason + wordsFor(answer, prefix) }
    },
  }
}
