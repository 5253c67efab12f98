import { basename, dirname } from 'node:path'
import type { FoundModel, ReadFile } from './found-model.ts'
import { nameModels } from './name-models.ts'
import { isProjectorName } from './model-name.ts'
import { partsOf } from './split-parts.ts'

/** What is served of the files that were found, each model once. */
export const modelsOf = (files: readonly ReadFile[]): readonly FoundModel[] => {
  const projectors = files.filter(isProjector)
  const candidates = newest(files.filter((file) => !isProjector(file) && isWholeModel(file)))
  const complete = candidates.filter(({ name }) => name.part === undefined || name.part === 1)
  const models = complete.flatMap((file) => {
    const parts = partsOf(file, files)
    if (parts === undefined) return []
    return [
      {
        file,
        path: file.path,
        bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
        projector: projectorOf(file, { projectors, candidates: complete }),
        purpose: purposeOf(file),
      },
    ]
  })
  return nameModels(models)
}

const isProjector = ({ path, header }: ReadFile): boolean =>
  header.type === 'mmproj' || header.architecture === 'clip' || isProjectorName(basename(path))

/** Not LoRAs, nor the vocabularies that llama.cpp's own sources carry. */
const isWholeModel = ({ path, header }: ReadFile): boolean =>
  header.type !== 'adapter' && header.type !== 'imatrix' && !basename(path).startsWith('ggml-vocab-')

/** Hugging Face keeps older commits of a repository beside the newest. */
const SNAPSHOT = /^(.*[\\/]models--[^\\/]+[\\/]snapshots[\\/])[^\\/]+([\\/].*)$/

const newest = (files: readonly ReadFile[]): readonly ReadFile[] => {
  const byPlace = new Map<string, ReadFile>()
  for (const file of files) {
    const place = file.path.replace(SNAPSHOT, '$1*$2')
    const known = byPlace.get(place)
    if (known === undefined || known.modifiedMs < file.modifiedMs) byPlace.set(place, file)
  }
  return [...byPlace.values()]
}

/** Architectures that make vectors of texts and can do nothing else. */
const ENCODERS: ReadonlySet<string> = new Set([
  'bert',
  'nomic-bert',
  'nomic-bert-moe',
  'neo-bert',
  'modern-bert',
  'jina-bert-v2',
  'jina-bert-v3',
  'eurobert',
  'gemma-embedding',
  't5encoder',
])
const RANK = 4

const purposeOf = ({ header: { architecture, pooling } }: ReadFile): FoundModel['purpose'] => {
  if (pooling === RANK) return 'reranking'
  return (pooling ?? 0) > 0 || ENCODERS.has(architecture ?? '') ? 'embeddings' : 'chat'
}

interface Surroundings {
  readonly projectors: readonly ReadFile[]
  readonly candidates: readonly ReadFile[]
}

/** Precise, and still small beside the model. */
const PREFERRED = ['F16', 'BF16', 'Q8_0', 'F32', '']

const rank = ({ name }: ReadFile): number => PREFERRED.indexOf(name.quant) + 1 || PREFERRED.length + 1

/** The projector beside a model: one that has its name, or any where it is the only model there. */
const projectorOf = (file: ReadFile, { projectors, candidates }: Surroundings): string | undefined => {
  const isNear = (other: ReadFile): boolean =>
    dirname(other.path) === dirname(file.path) && other.name.prefix === file.name.prefix
  const near = projectors.filter(isNear)
  const named = near.filter(({ name }) => isNamedFor(name.base, file.name.base))
  const isAlone = new Set(candidates.filter(isNear).map(({ name }) => name.base)).size === 1
  const fitting = named.length > 0 || !isAlone ? named : near
  return fitting.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1))[0]?.path
}

/** `b-mmproj` and `mmproj-b` are for `b`. */
const isNamedFor = (projector: string, model: string): boolean =>
  projector
    .toLowerCase()
    .split(/[-._]?mmproj[-._]?/)
    .includes(model.toLowerCase())
