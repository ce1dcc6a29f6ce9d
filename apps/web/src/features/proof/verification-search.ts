import { z } from 'zod'

const verificationSearch = z.object({
  // The router parses parameters that consist only of digits as numbers.
  alert: z
    .union([z.string(), z.number().transform(String)])
    .optional()
    .catch(undefined),
})

/** The `alert` parameter of /verification, if any. */
export function readVerificationSearch(search: unknown): string | undefined {
  return verificationSearch.parse(search).alert
}
