import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Alert, AlertAt } from '@tocsin/protocol'

interface RenderedAlert {
  title: string
  description: string
  html: string
}

/** Exports of apps/web/src/entry/alert-html.tsx. */
interface AlertHtml {
  renderAlert(page: AlertAt, nowMs: number): RenderedAlert
  renderEmbed(page: AlertAt, nowMs: number): RenderedAlert
  /** Returns an SVG. */
  renderAlertCard(alert: Alert, nowMs: number): string
}

export type AlertRenderer = () => Promise<AlertHtml>

/** File name of the bundle that is built from apps/web/src/entry/alert-html.tsx. */
const BUNDLE = 'alert-html.mjs'

/**
 * Creates a function that loads the renderer of alerts from the built site. Node.js caches the
 * module. A failed import is not cached here, so that pages work again once the file exists.
 */
export function createAlertRenderer(webDir: string | null): AlertRenderer {
  // The cast is needed because import() is untyped. The bundle has the exports of alert-html.tsx.
  return () => import(pathToFileURL(join(webDir ?? '', BUNDLE)).href) as Promise<AlertHtml>
}

/** Parses a log index in plain digits. Returns null for any other text. */
export function readIndex(text: string): number | null {
  const index = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(index) ? index : null
}
