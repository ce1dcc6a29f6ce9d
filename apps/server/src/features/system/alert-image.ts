import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { renderAsync } from '@resvg/resvg-js'
import type { Alert } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { hasTag } from '../../http/entity-tag.ts'
import { Refusal } from '../../refusal.ts'
import { createSemaphore } from '../../semaphore.ts'
import { setNewest } from '../../set-newest.ts'
import { findPublicAlertAt } from '../sharing/alert-at.ts'
import { type AlertRenderer, readIndex } from './alert-renderer.ts'

/** Maximum number of cached pictures, of about 100 kB each. */
const MAX_CACHED_PICTURES = 100
const FONTS = ['title', 'strong', 'text', 'data']
/** Maximum number of concurrent renders. Drawing a picture takes about 20 ms of one core. */
const MAX_CONCURRENT_RENDERS = 1
const MAX_WAITING_RENDERS = 20
/**
 * Limit of requests from each network. Without it, a few networks could fill the queue, and others
 * would get no pictures.
 */
const PER_NETWORK = { max: 60, timeWindow: MINUTE_MS }
const CACHE_CONTROL = 'public, max-age=300'

export function formatAlertImagePath(logIndex: number): string {
  return `/alert-images/${logIndex}.png`
}

interface Picture {
  etag: string
  png: Buffer
}

/**
 * GET /alert-images/:index.png, also available as /a/:index/image.png: the picture of a public
 * alert for link previews, 1200 x 630. For alerts that are not public, the response is the same as
 * for an index without an alert. Pictures are drawn in a separate thread and cached until their
 * content changes.
 */
export function installAlertImages(app: FastifyInstance, ctx: Context, renderer: AlertRenderer): void {
  const { webDir } = ctx.config.http
  if (webDir === null) return
  const find = createPictures(join(webDir, 'card'))
  app.get<{ Params: { index: string } }>(
    '/alert-images/:index.png',
    { schema: { hide: true }, exposeHeadRoute: true, config: { rateLimit: PER_NETWORK } },
    async ({ params, headers }, reply) => {
      const alert = await getPublicAlert(ctx, params.index)
      const { renderAlertCard } = await renderer()
      const { etag, png } = await find(renderAlertCard(alert, ctx.clock.now().getTime()))
      // Other sites may embed pictures, unlike most other responses.
      reply.header('cross-origin-resource-policy', 'cross-origin').header('cache-control', CACHE_CONTROL)
      reply.header('etag', etag)
      if (hasTag(headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type('image/png').send(png)
    },
  )
}

/** @throws Refusal not_found */
async function getPublicAlert(ctx: Context, text: string): Promise<Alert> {
  const index = readIndex(text)
  const page = index === null ? null : await findPublicAlertAt(ctx, index)
  if (page?.access === 'public') return page.bundle.alert
  throw new Refusal('not_found', 'There is no picture of this alert')
}

/**
 * Draws each SVG once. The cache key is the hash of the SVG, so a new outcome or retraction leads
 * to a new picture.
 */
function createPictures(fontDir: string): (svg: string) => Promise<Picture> {
  // Rejects with 429 rather than 503, because a proxy sends no requests to an instance for a while
  // after a 503.
  const runLimited = createSemaphore(MAX_CONCURRENT_RENDERS, {
    maxWaiting: MAX_WAITING_RENDERS,
    busyMessage: 'Too many pictures are being drawn.',
    code: 'too_many_requests',
  })
  const cachedPictures = new Map<string, Promise<Picture>>()
  const font = {
    fontFiles: FONTS.map((name) => join(fontDir, `${name}.ttf`)),
    loadSystemFonts: false,
    defaultFontFamily: 'Card Text',
  }
  const renderPng = async (svg: string, etag: string) => ({ etag, png: (await renderAsync(svg, { font })).asPng() })
  return (svg) => {
    const etag = `"${createHash('sha256').update(svg).digest('base64url')}"`
    const picture = cachedPictures.get(etag) ?? runLimited(() => renderPng(svg, etag))
    setNewest(cachedPictures, etag, picture, MAX_CACHED_PICTURES)
    picture.catch(() => cachedPictures.delete(etag))
    return picture
  }
}
