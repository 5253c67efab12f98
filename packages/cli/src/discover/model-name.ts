/** What a file's name tells. */
export interface ModelName {
  /** Without folder, quantisation, number of the part, and what caches put before it. */
  readonly base: string
  /** As written, in capitals: Q4_K_M, BF16, UD-Q4_K_XL …; empty: the name has none. */
  readonly quant: string
  /** The number of a split file's part, from 1; undefined: it is whole. */
  readonly part: number | undefined
  readonly parts: number | undefined
  /** What the llama.cpp cache puts before the name: the repository that it was fetched from. */
  readonly prefix: string
}

const PART = /-(\d{5})-of-(\d{5})$/
/** `org_repo-GGUF_file.gguf`: how llama.cpp flattens a repository's files into its cache. */
const CACHE_PREFIX = /^[^_]+_.+?-GGUF_/i
const QUANT =
  /[-._](?:UD-)?(?:i1-)?(?:I?Q\d(?:_\d|_K)?(?:_(?:XXS|XS|S|M|L|XL|NL|XXL))?(?:_\d{1,2})*|TQ\d_\d|MXFP4(?:_MOE)?|NVFP4|BF16|F16|FP16|F32|FP32|FP8)$/i
const NOISE = /[-._](?:GGUF|imatrix|imat)$/i

export const readModelName = (file: string): ModelName => {
  const name = file.replace(/\.gguf$/i, '')
  const [whole, part, parts] = PART.exec(name) ?? []
  const unsplit = whole === undefined ? name : name.slice(0, -whole.length)
  const [prefix = ''] = CACHE_PREFIX.exec(unsplit) ?? []
  let base = unsplit.slice(prefix.length)
  let quant = ''
  for (let last = ''; last !== base;) {
    last = base
    const [found] = QUANT.exec(base) ?? []
    if (found !== undefined && found.length < base.length) {
      quant ||= found.slice(1).toUpperCase()
      base = base.slice(0, -found.length)
    }
    base = base.replace(NOISE, '')
  }
  return {
    base,
    quant,
    part: part === undefined ? undefined : Number(part),
    parts: parts === undefined ? undefined : Number(parts),
    prefix,
  }
}

/** The part of a multimodal model that llama-server wants beside the model, by its name. */
export const isProjectorName = (file: string): boolean => /(?:^|[-._])mmproj(?:[-._]|$)/i.test(file)
