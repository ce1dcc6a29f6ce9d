/** Values of the three fields of the form. */
export type Draft = { alertText: string; signature: string; transaction: string }
export const emptyDraft: Draft = { alertText: '', signature: '', transaction: '' }

export type ProofFields = Pick<Draft, 'signature' | 'transaction'>

/** True if the value is marked as a proof file; does not validate it. */
export function isBundle(value: object): value is { format: string; alert?: unknown } {
  return 'format' in value && value.format === 'tocsin-proof'
}

/**
 * Extracts signature and transaction from an alert or proof file; missing ones are empty. Returns
 * null if the text is not a JSON object.
 */
export function parseProofFields(text: string): ProofFields | null {
  const value = parseObject(text)
  const alert = value !== null && isBundle(value) ? value.alert : value
  if (typeof alert !== 'object' || alert === null) return null
  const readField = (field: string) => {
    const statedValue: unknown = Object.getOwnPropertyDescriptor(alert, field)?.value
    return typeof statedValue === 'string' ? statedValue : ''
  }
  return { signature: readField('signature'), transaction: readField('avalancheTx') }
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/**
 * Returns the fields after a change of the text, which contained `previousFields` and now contains
 * `currentFields`. Overwrites a field only if it is empty or equal to that of the previous text, so
 * that typed values are kept.
 */
export function updateFields(
  fields: ProofFields,
  previousFields: ProofFields,
  currentFields: ProofFields,
): ProofFields {
  const followText = (field: keyof ProofFields) =>
    fields[field].trim() === '' || fields[field] === previousFields[field] ? currentFields[field] : fields[field]
  return { signature: followText('signature'), transaction: followText('transaction') }
}
