import type { PublicConfig, TrackRecordAnswer } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { RecordContent, RecordView } from '../features/record/record-view.tsx'

interface RecordHtmlParts {
  config: PublicConfig
  answer: TrackRecordAnswer
  /** Origin of this site. */
  host: string
}

/**
 * The content of the track record page with its figures, for readers without JavaScript. Built as a
 * bundle of its own, which the server loads (apps/server/src/features/system/record-page.ts).
 */
export function renderRecord({ config, answer: { record }, host }: RecordHtmlParts): string {
  return renderToStaticMarkup(
    <RecordContent config={config} record={record} host={host}>
      <RecordView record={record} isStatic />
    </RecordContent>,
  )
}
