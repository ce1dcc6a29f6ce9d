import { type AlertSelection, openEndpoints } from '@tocsin/protocol'
import { ApiError } from '../../api/api.ts'
import { saveBlob } from '../../ui/save-file.ts'
import { queryOf } from '../alert/alert-queries.ts'

const calls = { csv: openEndpoints.exportAlertsCsv, json: openEndpoints.exportAlertsJson }
export type ExportFormat = keyof typeof calls

/**
 * Downloads the selected alerts as a file. The response stays a Blob, because it can be large.
 * @throws ApiError if the response is not OK; TypeError if the server is unreachable or the
 *   connection breaks
 */
export async function saveExport(format: ExportFormat, selection: AlertSelection): Promise<void> {
  const query = new URLSearchParams(queryOf(selection))
  const answer = await fetch(`${calls[format].path}?${query}`, { credentials: 'include' })
  if (!answer.ok) throw new ApiError(answer.status, await answer.text(), answer.statusText)
  const name = /filename="([\w.-]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  saveBlob(name ?? `tocsin-alerts.${format}`, await answer.blob())
}
