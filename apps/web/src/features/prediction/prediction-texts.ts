import type { AlertOutcome } from '@tocsin/protocol'
import { formatClock } from '../../ui/format-time.ts'
import { type TimeStyle, utcStyle } from '../../ui/time-style.ts'
import { formatComparison, formatThreshold, groupDigits } from './amount-texts.ts'
import { formatHorizon, getVenueName, type Prediction } from './prediction-names.ts'

const formatPlace = ({ venue, market }: { venue: string; market: string }) => `${market} on ${getVenueName(venue)}`

/** The expected change, after "Expects" or "Expected". */
function describeExpectedChange(prediction: Prediction, threshold: string): string {
  switch (prediction.metric) {
    case 'maxExcursion':
      return `a further move of ${threshold} or more, up or down,`
    case 'volume':
      return `a volume of ${threshold} or more in ${formatPlace(prediction)}`
    case 'realisedVariance':
      return `a volatility of ${threshold} or more in ${formatPlace(prediction)}`
    case 'spread':
      return `a spread of ${threshold} or more between ${formatPlace(prediction)} and ${formatPlace(prediction.other ?? prediction)}`
  }
}

export interface SentenceOptions {
  /**
   * Close of the reference candle, the last candle before the horizon. Until the outcome is known,
   * it is computed from the received trades.
   */
  reference?: string | null
  /** The greatest move of the horizon in percent, with its direction. */
  greatest?: number | null
  style?: TimeStyle
}

/**
 * Describes the start of the horizon. For moves it includes the price from which they are measured:
 * the close of the last candle before the start.
 */
function formatStart({ metric, startsAt }: Prediction, { reference, style = utcStyle }: SentenceOptions): string {
  const clock = formatClock(Date.parse(startsAt), style)
  if (metric !== 'maxExcursion') return clock
  return reference ? `${groupDigits(reference)} at ${clock}` : `the price at ${clock}`
}

function formatClaim(prediction: Prediction, threshold: string, options: SentenceOptions): string {
  return `${describeExpectedChange(prediction, threshold)} within ${formatHorizon(prediction.horizonSeconds)} from ${formatStart(prediction, options)}`
}

/** "Expects a further move of 1.40% or more, …, within 60 min from 61,204.11 at 14:31:00". */
export function formatExpectation(prediction: Prediction, options: SentenceOptions = {}): string {
  return `Expects ${formatClaim(prediction, formatThreshold(prediction.metric, prediction.threshold), options)}`
}

const amountNames = { volume: 'a volume of ', realisedVariance: 'a volatility of ', spread: 'a spread of ' } as const

/**
 * Unit of a volume: the base asset, ATOM of "ATOM/USDT". Empty if the name of the market does not
 * begin with it.
 */
function formatUnit({ metric, market }: Prediction, asset: string): string {
  const [base = '', quote] = asset.split('/')
  return metric === 'volume' && quote !== undefined && market.startsWith(base) ? ` ${base}` : ''
}

/** "a further 1.40% or more, up or down, in 60 min", "a volume of 1,250 ATOM or more in 60 min". */
export function formatShortClaim(prediction: Prediction, asset: string): string {
  const { metric, threshold, horizonSeconds } = prediction
  const amount = `${formatThreshold(metric, threshold)}${formatUnit(prediction, asset)} or more`
  const claimText = metric === 'maxExcursion' ? `a further ${amount}, up or down,` : `${amountNames[metric]}${amount}`
  return `${claimText} in ${formatHorizon(horizonSeconds)}`
}

type MeasuredOutcome = Pick<AlertOutcome, 'verdict' | 'measured'> | undefined

/**
 * Threshold and measured value in words. The measured value is null if no outcome has measured it.
 */
export function formatAmounts(
  { metric, threshold }: Prediction,
  outcome: MeasuredOutcome,
  { greatest = null }: SentenceOptions = {},
): [threshold: string, measured: string | null] {
  if (outcome?.measured == null) return [formatThreshold(metric, threshold), null]
  const [limit, value] = formatComparison(metric, threshold, outcome.measured, outcome.verdict === 'did-not')
  const direction = greatest === null || greatest === 0 ? '' : greatest < 0 ? ' down' : ' up'
  return [limit, `${value}${direction}`]
}

/** "Expected a further move of 1.40% or more, …, within 60 min from …; measured 1.46% down". */
export function formatMeasuredExpectation(
  prediction: Prediction,
  outcome: MeasuredOutcome,
  options: SentenceOptions = {},
): string {
  const [threshold, value] = formatAmounts(prediction, outcome, options)
  const expectedText = `Expected ${formatClaim(prediction, threshold, options)}`
  return value === null ? expectedText : `${expectedText}; measured ${value}`
}
