import { formatDigits } from '../alert/series-texts.ts'
import { formatThreshold, type Metric } from '../prediction/amount-texts.ts'

/** A threshold in few characters: "±1.40%", "≥0.27%", and for a volume "≥1.25M". */
export function formatExpectedChange({ metric, threshold }: { metric: Metric; threshold: number }): string {
  if (metric !== 'volume') return `${metric === 'maxExcursion' ? '±' : '≥'}${formatThreshold(metric, threshold)}`
  return `≥${formatDigits(threshold, 3, threshold < 1_000 ? 'standard' : 'compact')}`
}
