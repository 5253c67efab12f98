import type { Modality, ModelCapabilities } from '@lswap/core'

/** What a model can do, in the fields that llama-swap's clients read; nothing is told of a model whose file says nothing. */
export interface ListedCapabilities {
  readonly architecture?: {
    readonly input_modalities?: readonly Modality[]
    readonly output_modalities?: readonly Modality[]
    readonly modality?: string
  }
  readonly capabilities?: Readonly<Record<string, true>>
  readonly supported_parameters?: readonly string[]
  readonly context_length?: number
}

export const listedCapabilities = (given: ModelCapabilities | undefined): ListedCapabilities => {
  if (given === undefined) return {}
  const { in: takes, out: gives, tools, reranker, context } = given
  const both = takes.length > 0 && gives.length > 0
  const can = {
    vision: takes.includes('image'),
    audio_transcriptions: takes.includes('audio') && gives.includes('text'),
    audio_speech: takes.includes('text') && gives.includes('audio'),
    image_generation: takes.includes('text') && gives.includes('image'),
    image_to_image: takes.includes('image') && gives.includes('image'),
    function_calling: tools,
    reranker,
  }
  const says = takes.length + gives.length > 0
  return {
    ...(says && {
      architecture: {
        ...(takes.length > 0 && { input_modalities: takes }),
        ...(gives.length > 0 && { output_modalities: gives }),
        ...(both && { modality: `${takes.join('+')}->${gives.join('+')}` }),
      },
    }),
    ...((says || tools || reranker) && {
      capabilities: Object.fromEntries(
        Object.entries(can).flatMap(([name, is]) => (is ? [[name, true as const]] : [])),
      ),
    }),
    ...(tools && { supported_parameters: ['tools', 'tool_choice'] }),
    ...(context > 0 && { context_length: context }),
  }
}
