export * from './table.ts'
export * from './failure.ts'
