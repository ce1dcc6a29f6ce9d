import { z } from 'zod'
import { type Draft, isBundle } from './claim.ts'

export type ProofFields = Pick<Draft, 'signature' | 'transaction'>

const stated = z.object({ signature: z.string().catch(''), avalancheTx: z.string().catch('') })

/**
 * Extracts signature and transaction from an alert or proof file; missing ones are empty. Returns
 * null if the text is not a JSON object.
 */
export function parseProofFields(text: string): ProofFields | null {
  try {
    const value: unknown = JSON.parse(text)
    const inBundle = typeof value === 'object' && value !== null && isBundle(value)
    const { signature, avalancheTx } = stated.parse(inBundle ? value.alert : value)
    return { signature, transaction: avalancheTx }
  } catch {
    return null
  }
}

/**
 * Updates fields from the text. Overwrites a field only if it is empty or unchanged since the last
 * update, so that typed values are kept.
 */
export function updateFields(fields: ProofFields, before: ProofFields, now: ProofFields): ProofFields {
  const follow = (field: keyof ProofFields) =>
    fields[field].trim() === '' || fields[field] === before[field] ? now[field] : fields[field]
  return { signature: follow('signature'), transaction: follow('transaction') }
}
