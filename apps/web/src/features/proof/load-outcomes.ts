import { parseSignedEntry, type SignedEntry } from '@tocsin/proof'
import { call } from '../../api/api.ts'

/**
 * The outcome entries of an alert. Empty if the user may not read it or the request fails: the
 * alert is verified without them.
 */
export async function loadOutcomes(id: string): Promise<SignedEntry[]> {
  try {
    const { outcomes = [] } = await call('alertBundle', { params: { id } })
    return outcomes.map(parseSignedEntry)
  } catch {
    return []
  }
}
