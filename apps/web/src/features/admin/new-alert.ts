import { alertContent, type RequestBody, summaryMaxLength } from '@tocsin/protocol'
import { z } from 'zod'
import { adminAlertsTexts } from '../../texts/admin-alerts.tsx'

const texts = adminAlertsTexts.newAlert

const range = texts.enterANumberFrom0

/** The Create Alert form. What it makes is checked by the shared schema, here as on the server. */
export const newAlertForm = z.object({
  asset: z.string().trim().min(1, texts.enterAnAsset).max(40, texts.atMost40Characters).pipe(alertContent.asset),
  anomalyType: z.string().trim().max(80, texts.atMost80Characters).pipe(alertContent.anomalyType),
  confidence: z
    .string()
    .trim()
    .regex(/^\d+([.,]\d+)?$/, { error: range, abort: true })
    // Checked on the text: as a number, 94.20000000000000001 is 94.2.
    .regex(/^\d+([.,]\d)?$/, { error: texts.oneDecimalPlace, abort: true })
    .transform((text) => Number(text.replace(',', '.')))
    .refine((percent) => percent <= 100, range)
    .pipe(alertContent.confidence),
  regime: z.string().trim().max(80, texts.atMost80Characters).pipe(alertContent.regime),
  summary: z
    .string()
    .trim()
    .min(1, texts.enterASummary)
    .max(summaryMaxLength, texts.atMostCharacters({ summaryMaxLength }))
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

type Suggested = 'asset' | 'anomalyType' | 'regime'

const usual: Record<Suggested, readonly string[]> = {
  asset: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
  anomalyType: [
    texts.volumeSpike,
    texts.fundingFlip,
    texts.bookImbalance,
    texts.correlationBreak,
    texts.openInterestJump,
  ],
  regime: [texts.highVolatility, texts.lowVolatility, texts.trending, texts.range],
}
const suggestionLimit = 50

/** What newer alerts had, then the usual; each once. */
export function suggestionsFor(field: Suggested, newestFirst: readonly Record<Suggested, string>[]): string[] {
  const used = newestFirst.slice(0, 500).map((alert) => alert[field])
  return [...new Set([...used, ...usual[field]])].filter(Boolean).slice(0, suggestionLimit)
}
