import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AlertAt } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { escapeHtml, metaTag } from '../../http/html.ts'
import type { LivePages } from '../../http/pages.ts'
import { Refusal } from '../../refusal.ts'
import { findAlertAt } from '../sharing/alert-at.ts'

/** Exports of apps/web/src/entry/alert-html.tsx. */
interface Renderer {
  renderAlert(page: AlertAt, nowMs: number): { title: string; description: string; html: string }
}

/** Built from apps/web/src/entry/alert-html.tsx. */
const BUNDLE = 'alert-html.mjs'
const TEMPLATE = 'page-alert.html'
const ALERT_PATH = /^\/a\/(0|[1-9]\d{0,15})\/?$/
/** Shown in link previews of alerts whose content is not public. */
const GENERAL_IMAGE = '/share.png'

/**
 * Pages of alerts, `/a/<log index>`. They contain what an anonymous caller of GET
 * /api/alerts/at/:index gets: neither the session nor a shared link's token has an effect here.
 */
export function createAlertPages(ctx: Context): LivePages {
  const { webDir, publicUrl } = ctx.config.http
  let loaded: Promise<{ renderer: Renderer; template: string }> | undefined

  async function load(dir: string) {
    const [renderer, template] = await Promise.all([
      // import() is untyped: the bundle has the exports of alert-html.tsx.
      import(pathToFileURL(join(dir, BUNDLE)).href) as Promise<Renderer>,
      readFile(join(dir, TEMPLATE), 'utf8'),
    ])
    return { renderer, template }
  }

  return {
    owns: (path) => path === '/a' || path.startsWith('/a/'),
    async render(path) {
      const index = readIndex(path)
      const page = index === null || webDir === null ? null : await findPublic(ctx, index)
      if (index === null || webDir === null || !page) return null
      loaded ??= load(webDir)
      const { renderer, template } = await loaded
      const { title, description, html } = renderer.renderAlert(page, ctx.clock.now().getTime())
      const isPublic = page.access !== 'withheld'
      const head = headTags({
        title,
        description,
        url: `${publicUrl}/a/${index}`,
        image: `${publicUrl}${isPublic ? `/a/${index}/image.png` : GENERAL_IMAGE}`,
      })
      return fill(template, { title, description, head, html, page, isPublic })
    },
  }
}

/** Null for what is not the path of an alert. */
function readIndex(path: string): number | null {
  const index = Number(ALERT_PATH.exec(path)?.[1] ?? Number.NaN)
  return Number.isSafeInteger(index) ? index : null
}

/** What everybody may see of the alert at an index; null if there is no alert. */
async function findPublic(ctx: Context, index: number): Promise<AlertAt | null> {
  try {
    return await findAlertAt(ctx, index)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return null
    throw error
  }
}

interface Head {
  title: string
  description: string
  url: string
  image: string
}

function headTags({ title, description, url, image }: Head): string {
  return [
    `<link rel="canonical" href="${url}" />`,
    metaTag('property', 'og:type', 'article'),
    metaTag('property', 'og:site_name', 'Tocsin'),
    metaTag('property', 'og:title', title),
    metaTag('property', 'og:description', description),
    metaTag('property', 'og:url', url),
    metaTag('property', 'og:image', image),
    metaTag('property', 'og:image:width', '1200'),
    metaTag('property', 'og:image:height', '630'),
    metaTag('property', 'og:image:alt', title),
    metaTag('name', 'twitter:card', 'summary_large_image'),
  ].join('\n    ')
}

interface Filling extends Pick<Head, 'title' | 'description'> {
  head: string
  html: string
  page: AlertAt
  isPublic: boolean
}

/** Fills the template. Replacements are functions, because texts may contain `$&`. */
function fill(template: string, { title, description, head, html, page, isPublic }: Filling): string {
  const withHead = template
    .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(title)} · Tocsin</title>`)
    .replace(/<meta name="description"[^>]*>/, () => metaTag('name', 'description', description))
    .replace('</head>', () => `  ${head}\n  </head>`)
    .replace(/(<alert-content[^>]*>).*?(<\/alert-content>)/s, (_all, start, end) => `${start}${html}${end}`)
    .replace('</body>', () => `  ${jsonElement(page)}\n  </body>`)
  return isPublic ? withHead.replace(/\s*<meta name="robots"[^>]*>/, '') : withHead
}

/** The alert as data, so that the page can verify it without another request. Not a script. */
function jsonElement(page: AlertAt): string {
  return `<script type="application/json" id="alert-data">${JSON.stringify(page).replaceAll('<', '\\u003c')}</script>`
}
