import { parseSignedEntry, type SignedEntry } from '@tocsin/proof'
import { call } from '../../api/api.ts'

/**
 * Loads the outcome entries of an alert. Returns an empty list if the user is not allowed to read
 * the alert or the request fails, so that the alert is verified without outcomes.
 */
export async function loadOutcomes(id: string): Promise<SignedEntry[]> {
  try {
    const { outcomes = [] } = await call('alertBundle', { params: { id } })
    return outcomes.map(parseSignedEntry)
  } catch {
    return []
  }
}
