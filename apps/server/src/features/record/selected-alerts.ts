import type { ControlRate, RecordAlert, RecordSummary } from '@tocsin/proof'
import type { TrackRecordSelection } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { toRecordAlert } from './record-row.ts'
import * as rows from './record-store.ts'
import { selectRecordAlerts } from './selection.ts'

export interface SelectedAlert {
  alert: RecordAlert
  controlRate: ControlRate | null
}

/** Returns a function that reads the selected alerts below an index, newest first. */
export async function createSelectedReader(ctx: Context, record: RecordSummary, selection: TrackRecordSelection) {
  const { origin, asOf, publicDelayMs } = record
  const blockAt = new Date(asOf.blockAt)
  const view = await rows.findView(ctx.db, { origin, size: asOf.size, blockAt }, publicDelayMs)
  const statusConditions = selectRecordAlerts(record, selection)
  return async (before: number, limit: number): Promise<SelectedAlert[]> => {
    const foundRows = await rows.listSelectedRows(ctx.db, view, statusConditions, { before, limit })
    return foundRows.map((row) => {
      const alert = toRecordAlert(row, { blockMs: blockAt.getTime(), publicDelayMs })
      const { controlMinutes: minutes, controlsCameTrue: cameTrue } = row.stored ?? {}
      const isMeasured = typeof minutes === 'number' && typeof cameTrue === 'number'
      return { alert, controlRate: isMeasured ? { minutes, cameTrue } : null }
    })
  }
}
