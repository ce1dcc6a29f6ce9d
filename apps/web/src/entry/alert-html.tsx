import type { Alert, AlertAt } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { describeConfidence } from '../features/prediction/confidence-texts.ts'
import { PredictionView } from '../features/prediction/prediction-panel.tsx'
import { AlertCard } from '../features/shared-alert/alert-card.tsx'
import { createPageMetadata, type PageMetadata } from '../features/shared-alert/alert-texts.ts'
import { AlertView, findOutcomeMessage, type ReadablePage, WithheldView } from '../features/shared-alert/alert-view.tsx'
import { EmbedView } from '../features/shared-alert/embed-view.tsx'

interface AlertHtml extends PageMetadata {
  html: string
}

/**
 * Title, description and content of an alert's page, for users without JavaScript and for link
 * previews. The server loads this module as a separate bundle
 * (apps/server/src/features/system/alert-pages.ts).
 */
export function renderAlert(page: AlertAt, nowMs: number): AlertHtml {
  const html = renderToStaticMarkup(
    page.access === 'withheld' ? (
      <WithheldView page={page} />
    ) : (
      <AlertView page={page} prediction={<StaticPrediction page={page} />} />
    ),
  )
  return { ...createPageMetadata(page, nowMs), html }
}

/** The content of the frame that other sites embed. */
export function renderEmbed(page: AlertAt, nowMs: number): AlertHtml {
  return { ...createPageMetadata(page, nowMs), html: renderToStaticMarkup(<EmbedView page={page} nowMs={nowMs} />) }
}

/** The picture of a public alert for link previews, as an SVG. */
export function renderAlertCard(alert: Alert, nowMs: number): string {
  return renderToStaticMarkup(<AlertCard alert={alert} nowMs={nowMs} />)
}

/** Shows the prediction without the track record of its type, which would need another request. */
function StaticPrediction({ page }: { page: ReadablePage }) {
  const { alert } = page.bundle
  const { prediction, confidence } = alert
  if (!prediction) return null
  const confidenceText = describeConfidence(confidence, null)
  return (
    <PredictionView
      alert={alert}
      prediction={prediction}
      message={findOutcomeMessage(page)}
      confidenceText={confidenceText}
    />
  )
}
