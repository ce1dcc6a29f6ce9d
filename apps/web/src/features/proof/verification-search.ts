import { z } from 'zod'

const verificationSearch = z.object({
  // The router reads a parameter of digits alone as a number.
  alert: z
    .union([z.string(), z.number().transform(String)])
    .optional()
    .catch(undefined),
})

/** The alert that the address of /verification names, if any. */
export function readVerificationSearch(search: unknown): string | undefined {
  return verificationSearch.parse(search).alert
}
