export { readGgufHeader, type GgufHeader } from './header.ts'
