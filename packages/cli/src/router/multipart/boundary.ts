import type { Failure } from '@lswap/core'
import { parametersOf } from './parameters.ts'

/** RFC 2046 allows 70 characters; some clients take more. */
const MAX_BOUNDARY = 200

/** What stands between the parts of a multipart body, as its Content-Type tells. */
export const boundaryOf = (contentType: string | undefined): string | Failure => {
  if (contentType === undefined || !/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType)) {
    return {
      code: 'invalid_request',
      message: 'This route needs a body of multipart/form-data.',
      hint: 'Send the fields as a form, with `model` as one of them.',
    }
  }
  const boundary = parametersOf(contentType).get('boundary') ?? ''
  if (boundary !== '' && boundary.length <= MAX_BOUNDARY) return boundary
  return {
    code: 'invalid_request',
    message: `The Content-Type has no boundary of 1 to ${MAX_BOUNDARY} characters.`,
    hint: 'Let the HTTP library write the Content-Type of a form.',
  }
}
