import type { PublicConfig, TrackRecordResponse } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import type { RecordSelection } from '../features/prediction/record-queries.ts'
import { RecordAlertsPanel, type RecordItem, RecordRows } from '../features/record/record-rows.tsx'
import { createAlertsHref, formatSelection, type PublicRecord } from '../features/record/record-texts.ts'
import { RecordContent, RecordView } from '../features/record/record-view.tsx'
import { SiteLink } from '../ui/site-link.tsx'

interface RecordHtmlParts {
  config: PublicConfig
  answer: TrackRecordResponse
  /** Origin of this site. */
  host: string
  /** The figure that the user has selected with a link, and one page of the alerts behind it. */
  chosen?: ChosenRecord
}

interface ChosenRecord {
  selection: RecordSelection
  items: RecordItem[]
  /** Cursor of the next page. */
  next: string | null
}

/**
 * The content of the track record page with its figures, for users without JavaScript. The server
 * loads this module as a separate bundle (apps/server/src/features/system/record-page.ts).
 */
export function renderRecord({ config, answer: { record }, host, chosen }: RecordHtmlParts): string {
  return renderToStaticMarkup(
    <RecordContent config={config} record={record} host={host}>
      <RecordView record={record} isStatic>
        {record && chosen && <SelectionAlerts record={record} {...chosen} />}
      </RecordView>
    </RecordContent>,
  )
}

function SelectionAlerts({ record, selection, items, next }: ChosenRecord & { record: PublicRecord }) {
  return (
    <RecordAlertsPanel origin={record.origin} selection={selection} title={formatSelection(record, selection)}>
      <RecordRows items={items} />
      {next !== null && (
        <p className="border-t border-line-1 p-3 text-center text-base">
          <SiteLink href={createAlertsHref(selection, next)} className="link touch-target">
            Older alerts
          </SiteLink>
        </p>
      )}
    </RecordAlertsPanel>
  )
}
