import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { RecordSummary } from '@tocsin/proof'
import { type PublicConfig, type TrackRecordResponse, trackRecordAlertsQuery } from '@tocsin/protocol'
import type { z } from 'zod'
import type { Context } from '../../context.ts'
import type { PageWithContent } from '../../http/pages.ts'
import { listRecordAlerts, presentPublicRecord } from '../record/routes.ts'
import type { TrackRecords } from '../record/track-record.ts'
import { publicConfig } from './public-config.ts'

/** Exports of apps/web/src/entry/record-html.tsx. */
interface Renderer {
  renderRecord(parts: {
    config: PublicConfig
    answer: TrackRecordResponse
    host: string
    chosen?: SelectedRecord
  }): string
}

type AlertsQuery = z.infer<typeof trackRecordAlertsQuery>
type Selection = Pick<AlertsQuery, (typeof selectionKeys)[number]>
type SelectedRecord = { selection: Selection } & Awaited<ReturnType<typeof listRecordAlerts>>

/** File name of the bundle that is built from apps/web/src/entry/record-html.tsx. */
const BUNDLE = 'record-html.mjs'
/**
 * Longest wait for the record. The first record after a start can take longer; the page is then
 * served without figures.
 */
const MAX_WAIT_MS = 1_000

const selectionKeys = ['status', 'set', 'by', 'key'] as const

/**
 * Creates the track record page with its figures in the HTML, for readers without JavaScript. If
 * the query names a figure, the page also has the alerts behind it. The page contains what GET
 * /api/track-record and its list of alerts return, which is all public. Without a figure, it is
 * rendered once per record.
 */
export function createRecordPage(ctx: Context, records: TrackRecords): PageWithContent {
  const { webDir, publicUrl } = ctx.config.http
  const origin = ctx.config.demo ? 'demo' : 'feed'
  let renderedRecord: { record: unknown; html: Promise<string> } | null = null

  async function renderRecordHtml(record: RecordSummary, query?: AlertsQuery): Promise<string> {
    // Node.js caches the module. A failed import is not cached here, so that the page works again
    // once the file exists. The cast is needed because import() is untyped. The bundle has the
    // exports of record-html.tsx.
    const [{ renderRecord }, config, answer] = await Promise.all([
      import(pathToFileURL(join(webDir ?? '', BUNDLE)).href) as Promise<Renderer>,
      publicConfig(ctx),
      presentPublicRecord(ctx, record),
    ])
    const pageParts = { config, answer, host: publicUrl }
    if (!query) return renderRecord(pageParts)
    const selectionEntries = selectionKeys.flatMap((key) => (query[key] === undefined ? [] : [[key, query[key]]]))
    return renderRecord({
      ...pageParts,
      chosen: { selection: Object.fromEntries(selectionEntries), ...(await listRecordAlerts(ctx, record, query)) },
    })
  }

  return {
    path: '/track-record',
    element: 'record-content',
    async find(search) {
      try {
        const waitTimeout = new AbortController()
        const record = await Promise.race([
          records.find(ctx, origin),
          delay(MAX_WAIT_MS, null, { signal: waitTimeout.signal }),
        ]).finally(() => waitTimeout.abort())
        if (!record) return null
        const query = parseFigureQuery(search, origin)
        if (query) return { html: await renderRecordHtml(record, query), isForQuery: true }
        if (renderedRecord?.record !== record) renderedRecord = { record, html: renderRecordHtml(record) }
        return { html: await renderedRecord.html, isForQuery: false }
      } catch (error) {
        renderedRecord = null
        ctx.logger.error({ err: error }, 'the figures could not be inserted into the track record page')
        return null
      }
    },
  }
}

/**
 * Returns the query of a figure, or null if the URL names no figure. Ignores all other parameters.
 */
function parseFigureQuery(search: URLSearchParams, origin: AlertsQuery['origin']): AlertsQuery | null {
  const parameterEntries = [...selectionKeys, 'cursor'].flatMap((key) =>
    search.has(key) ? [[key, search.get(key)]] : [],
  )
  const { success, data } = trackRecordAlertsQuery.safeParse({ ...Object.fromEntries(parameterEntries), origin })
  return success && selectionKeys.some((key) => data[key] !== undefined) ? data : null
}
