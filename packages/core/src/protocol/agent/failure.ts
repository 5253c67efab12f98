import * as z from 'zod'
import { ERRORS, type ErrorCode } from '../../errors/table.ts'

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]

/** A code that only a newer lswap knows counts as `internal`; what it means is in the message. */
export const failureSchema = z.object({
  code: z.enum(codes).catch('internal'),
  message: z.string(),
  hint: z.string().exactOptional(),
  retryAfterMs: z.number().exactOptional(),
})
