import { resolvedBeforeCalibration } from '@tocsin/proof'

/** Figures of the public track record about predictions of one type. */
export interface TypeRecord {
  /**
   * Number of predictions of the same model and type that came true or did not. Below 150, the
   * confidence of these predictions is not calibrated.
   */
  resolved: number
  /**
   * Share of the counted predictions of the type, of all models, that came true. Null if none is
   * counted.
   */
  rate: number | null
  /** Share of randomly selected minutes at which the same predictions would have come true. */
  baseRate: number | null
  /** "of the simulated market" in a demo, otherwise empty. */
  scope: string
}

/**
 * Describes the confidence that the signal states, and how often predictions of its type came true:
 * "confidence 52.0% that it comes true; such predictions came true 43 of 100 times, 8 at random
 * minutes". If the confidence is not calibrated, the text says so instead.
 * @param record null if it is unknown
 */
export function describeConfidence(confidence: number, record: TypeRecord | null): string {
  const text = `confidence ${confidence.toFixed(1)}% that it comes true`
  if (record === null) return text
  const note = formatCalibrationNote(record)
  if (note !== null) return `${text}, ${note}`
  const { rate, baseRate } = record
  if (rate === null) return text
  const randomText = baseRate === null ? '' : `, ${Math.round(100 * baseRate)} at random minutes`
  return `${text}; such predictions came true ${Math.round(100 * rate)} of 100 times${randomText}${formatScope(record)}`
}

/** "not calibrated yet (37 outcomes)". Null if confidences of the type are calibrated. */
export function formatCalibrationNote(record: TypeRecord): string | null {
  const { resolved } = record
  if (resolved >= resolvedBeforeCalibration) return null
  return `not calibrated yet (${resolved} ${resolved === 1 ? 'outcome' : 'outcomes'}${formatScope(record)})`
}

const formatScope = ({ scope }: TypeRecord) => (scope === '' ? '' : ` ${scope}`)
