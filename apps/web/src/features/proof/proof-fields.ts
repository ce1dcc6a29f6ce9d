import { z } from 'zod'
import { type Draft, isBundle } from './claim.ts'

export type ProofFields = Pick<Draft, 'signature' | 'transaction'>

const stated = z.object({ signature: z.string().catch(''), avalancheTx: z.string().catch('') })

/** Signature and transaction as an alert's text or a proof file states them; empty where it states none. Null while it is no JSON object. */
export function statedProof(text: string): ProofFields | null {
  try {
    const value: unknown = JSON.parse(text)
    const inBundle = typeof value === 'object' && value !== null && isBundle(value)
    const { signature, avalancheTx } = stated.parse(inBundle ? value.alert : value)
    return { signature, transaction: avalancheTx }
  } catch {
    return null
  }
}

/** A field takes what the text states if it is empty or still holds what the text stated before: what was typed stays. */
export function followText(fields: ProofFields, before: ProofFields, now: ProofFields): ProofFields {
  const follow = (field: keyof ProofFields) =>
    fields[field].trim() === '' || fields[field] === before[field] ? now[field] : fields[field]
  return { signature: follow('signature'), transaction: follow('transaction') }
}
