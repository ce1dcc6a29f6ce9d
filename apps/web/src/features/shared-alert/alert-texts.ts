import type { Alert, AlertAt } from '@tocsin/protocol'
import { formatCount } from '../../ui/count.ts'
import { formatFullDateTime } from '../../ui/format-time.ts'
import { dateLocale } from '../../ui/locale.ts'
import { extractClause, formatAnchorSentence, formatConfidence } from '../alert/alert-texts.ts'
import { outcomeSentences } from '../prediction/outcome-sentences.ts'
import { getOutcomeKind } from '../prediction/outcome-state.ts'
import { formatExpectation } from '../prediction/prediction-texts.ts'

export interface PageMetadata {
  title: string
  description: string
}

/** Title and description for search engines and link previews. Times are in UTC. */
export function createPageMetadata(page: AlertAt, nowMs: number): PageMetadata {
  if (page.access === 'withheld') {
    const { logIndex, createdAt, publicAt } = page
    return {
      title: `Alert #${formatCount(logIndex)}`,
      description: `A signed market alert of ${formatMoment(createdAt)}. Its content becomes public on ${formatMoment(publicAt)}; its leaf hash is in the log now.`,
    }
  }
  const { alert } = page.bundle
  return { title: `${alert.asset}: ${extractClause(alert)}`, description: describeAlert(alert, nowMs) }
}

function describeAlert(alert: Alert, nowMs: number): string {
  const { prediction, avalancheTx, createdAt, anchoredAt, confidence } = alert
  const kind = getOutcomeKind(alert, nowMs)
  const anchorText =
    avalancheTx === null ? 'signed, not yet anchored' : lowerFirst(formatAnchorSentence(createdAt, anchoredAt))
  return [
    `${formatSupersession(alert)}Issued ${formatMoment(createdAt)}, ${anchorText}.`,
    ...(prediction ? [`${formatExpectation(prediction)}: ${outcomeSentences[kind ?? 'open'].toLowerCase()}.`] : []),
    `Confidence ${formatConfidence(confidence)}. Your browser verifies the proof.`,
  ].join(' ')
}

const supersessionLabels = { correction: 'Corrected since. ', retraction: 'Retracted since. ' } as const

function formatSupersession({ supersededBy }: Alert): string {
  return supersededBy ? supersessionLabels[supersededBy.kind] : ''
}

const dayFormat = new Intl.DateTimeFormat(dateLocale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

const formatMoment = (at: string) => formatFullDateTime(Date.parse(at))

/** "21 Nov 2026". */
export function formatDay(atMs: number): string {
  return dayFormat.format(atMs)
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
