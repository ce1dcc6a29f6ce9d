import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { PublicConfig, TrackRecordAnswer } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { FilledPage } from '../../http/pages.ts'
import { presentPublicRecord } from '../record/routes.ts'
import type { TrackRecords } from '../record/track-record.ts'
import { publicConfig } from './public-config.ts'

/** Exports of apps/web/src/entry/record-html.tsx. */
interface Renderer {
  renderRecord(parts: { config: PublicConfig; answer: TrackRecordAnswer; host: string }): string
}

/** Built from apps/web/src/entry/record-html.tsx. */
const BUNDLE = 'record-html.mjs'
/** The first record after a start can take longer. Its page is then served without figures. */
const MAX_WAIT_MS = 1_000

/**
 * The track record page with its figures in the HTML, for readers without JavaScript. It contains
 * what GET /api/track-record answers, so only what is public. Rendered once for each record.
 */
export function createRecordPage(ctx: Context, records: TrackRecords): FilledPage {
  const { webDir, publicUrl } = ctx.config.http
  const origin = ctx.config.demo ? 'demo' : 'feed'
  let renderer: Promise<Renderer> | undefined
  let rendered: { record: unknown; html: Promise<string> } | null = null

  async function render(record: NonNullable<Awaited<ReturnType<TrackRecords['find']>>>): Promise<string> {
    // import() is untyped: the bundle has the exports of record-html.tsx.
    renderer ??= import(pathToFileURL(join(webDir ?? '', BUNDLE)).href) as Promise<Renderer>
    const [{ renderRecord }, config, answer] = await Promise.all([
      renderer,
      publicConfig(ctx),
      presentPublicRecord(ctx, record),
    ])
    return renderRecord({ config, answer, host: publicUrl })
  }

  return {
    path: '/track-record',
    element: 'record-content',
    async find() {
      try {
        const waited = new AbortController()
        const record = await Promise.race([
          records.find(ctx, origin),
          delay(MAX_WAIT_MS, null, { signal: waited.signal }),
        ]).finally(() => waited.abort())
        if (!record) return null
        if (rendered?.record !== record) rendered = { record, html: render(record) }
        return await rendered.html
      } catch (error) {
        rendered = null
        ctx.logger.error({ err: error }, 'the figures could not be inserted into the track record page')
        return null
      }
    },
  }
}
