export { atEnd, type Ending } from './at-end.ts'
export { scratch, type Files } from './scratch.ts'
