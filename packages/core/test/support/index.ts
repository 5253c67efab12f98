export { atEnd, type Ending } from './at-end.ts'
export { gguf, type GgufValue } from './gguf.ts'
export { scratch, type Files } from './scratch.ts'
