import { type AdminAlert, alertContent, summaryMaxLength } from '@tocsin/protocol'
import { z } from 'zod'
import { formatCount } from '../../ui/count.ts'
import { type NewAlert, type NewAlertDraft, newAlertForm } from './new-alert.ts'

type Content = Pick<AdminAlert, 'asset' | 'anomalyType' | 'confidence' | 'regime' | 'summary' | 'priority'>

/**
 * Returns whether an alert can be corrected or retracted. Retractions and retracted alerts cannot.
 */
export function canBeRevised({ kind, supersededBy }: Pick<AdminAlert, 'kind' | 'supersededBy'>): boolean {
  return kind !== 'retraction' && supersededBy?.kind !== 'retraction'
}

/** The initial values of the correction form. */
export function createDraft(original: Content & Pick<AdminAlert, 'broadcastAt'>): NewAlertDraft {
  const { asset, anomalyType, confidence, regime, summary, priority, broadcastAt } = original
  const content = { asset, anomalyType, regime, summary, priority }
  return { ...content, confidence: String(confidence), broadcast: broadcastAt !== null }
}

const fieldLabels: Record<keyof Content, string> = {
  asset: 'Asset',
  anomalyType: 'Anomaly type',
  confidence: 'Confidence',
  regime: 'Regime',
  priority: 'Priority',
  summary: 'Summary',
}

export interface Change {
  field: keyof Content
  label: string
  before: string
  after: string
}

/** Lists the fields that a correction would change. Empty while a field of the form is invalid. */
export function listChanges(originalContent: Content, draft: NewAlertDraft): Change[] {
  const correctedContent = newAlertForm.safeParse(draft).data
  if (!correctedContent) return []
  // The cast is safe: the keys of `fieldLabels` are the fields of `Content`.
  const fields = Object.keys(fieldLabels) as (keyof Content)[]
  return fields
    .filter((field) => originalContent[field] !== correctedContent[field])
    .map((field) => ({
      field,
      label: fieldLabels[field],
      before: formatFieldValue(field, originalContent),
      after: formatFieldValue(field, correctedContent),
    }))
}

function formatFieldValue(field: keyof Content, content: Content | NewAlert): string {
  const value = field === 'confidence' ? `${content.confidence}%` : content[field]
  return value === '' ? 'none' : value
}

/**
 * Validates a correction: the rules of the Create Alert form, and at least one field must differ
 * from the original alert.
 */
export function createCorrectionForm(originalContent: Content) {
  return newAlertForm.superRefine((after, context) => {
    const draft = { ...after, confidence: String(after.confidence) }
    if (listChanges(originalContent, draft).length > 0) return
    context.addIssue({
      code: 'custom',
      path: ['summary'],
      message: 'Change at least one field',
    })
  })
}

/**
 * Validates a retraction: it needs a reason, and the number of the alert, typed as confirmation.
 */
export function createRetractionForm(logIndex: number) {
  return z.object({
    reason: z
      .string()
      .trim()
      .min(1, 'Enter a reason. It is shown with the alert permanently.')
      .max(summaryMaxLength, `At most ${formatCount(summaryMaxLength)} characters`)
      .pipe(alertContent.summary),
    typed: z
      .string()
      .refine((text) => text.replace(/[#,\s]/g, '') === String(logIndex), `Type ${logIndex} to retract it`),
    broadcast: z.boolean(),
  })
}
export type RetractionDraft = z.input<ReturnType<typeof createRetractionForm>>
