import { alertContent, type RequestBody, summaryMaxLength } from '@tocsin/protocol'
import { z } from 'zod'
import { formatCount } from '../../ui/count.ts'

const rangeMessage = 'Enter a number from 0 to 100'

/**
 * Validates the Create Alert form. Converts it to a request with the schema that the server uses.
 */
export const newAlertForm = z.object({
  asset: z.string().trim().min(1, 'Enter an asset').max(40, 'At most 40 characters').pipe(alertContent.asset),
  anomalyType: z.string().trim().max(80, 'At most 80 characters').pipe(alertContent.anomalyType),
  confidence: z
    .string()
    .trim()
    .regex(/^\d+([.,]\d+)?$/, { error: rangeMessage, abort: true })
    // Check the decimal places in the text. As a number, 94.20000000000000001 equals 94.2.
    .regex(/^\d+([.,]\d)?$/, { error: 'Use at most one decimal place, for example 94.2', abort: true })
    .transform((text) => Number(text.replace(',', '.')))
    .refine((percent) => percent <= 100, rangeMessage)
    .pipe(alertContent.confidence),
  regime: z.string().trim().max(80, 'At most 80 characters').pipe(alertContent.regime),
  summary: z
    .string()
    .trim()
    .min(1, 'Enter a summary')
    .max(summaryMaxLength, `At most ${formatCount(summaryMaxLength)} characters`)
    .pipe(alertContent.summary),
  priority: alertContent.priority,
  broadcast: z.boolean(),
})

export type NewAlertDraft = z.input<typeof newAlertForm>
export type NewAlert = z.output<typeof newAlertForm> & RequestBody<'createAlert'>

export const emptyAlert: NewAlertDraft = {
  asset: '',
  anomalyType: '',
  confidence: '',
  regime: '',
  summary: '',
  priority: 'medium',
  broadcast: true,
}

type SuggestedField = 'asset' | 'anomalyType' | 'regime'

const usualValues: Record<SuggestedField, readonly string[]> = {
  asset: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
  anomalyType: ['Volume spike', 'Funding flip', 'Book imbalance', 'Correlation break', 'Open interest jump'],
  regime: ['High volatility', 'Low volatility', 'Trending', 'Range'],
}
const suggestionLimit = 50

/** Suggestions for a field: values of recent alerts, then default values, without duplicates. */
export function listSuggestions(
  field: SuggestedField,
  newestFirst: readonly Record<SuggestedField, string>[],
): string[] {
  const usedValues = newestFirst.slice(0, 500).map((alert) => alert[field])
  return [...new Set([...usedValues, ...usualValues[field]])].filter(Boolean).slice(0, suggestionLimit)
}
