/** Figures of the public track record about predictions of one type. */
export interface TypeRecord {
  /** Outcomes of this model and type; below 150 their confidence is not calibrated. */
  resolved: number
  /** Share of random minutes at which the same rules came true. */
  baseRate: number | null
  /** "of the simulated market" in a demo, otherwise empty. */
  scope: string
}

const resolvedBeforeCalibration = 150

/**
 * Says how often predictions like this one come true: "such predictions came true 43 of 100 times,
 * 8 at random minutes". If `confidence` is not calibrated, the text names it without this claim.
 * @param record null if it is unknown
 */
export function describeConfidence(confidence: number, record: TypeRecord | null): string {
  const text = `confidence ${confidence.toFixed(0)}% that it comes true`
  if (record === null) return text
  const note = calibrationNote(record)
  if (note !== null) return `${text}, ${note}`
  const random = record.baseRate === null ? '' : `, ${Math.round(100 * record.baseRate)} at random minutes`
  return `such predictions came true ${Math.round(confidence)} of 100 times${random}${formatScope(record)}`
}

/** "not calibrated yet (37 outcomes)". Null if confidences of the type are calibrated. */
export function calibrationNote(record: TypeRecord): string | null {
  const { resolved } = record
  if (resolved >= resolvedBeforeCalibration) return null
  return `not calibrated yet (${resolved} ${resolved === 1 ? 'outcome' : 'outcomes'}${formatScope(record)})`
}

const formatScope = ({ scope }: TypeRecord) => (scope === '' ? '' : ` ${scope}`)
