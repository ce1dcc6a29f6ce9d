import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AlertAt } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { escapeHtml, metaTag } from '../../http/html.ts'
import type { LivePages } from '../../http/pages.ts'
import { findPublicAlertAt } from '../sharing/alert-at.ts'
import { alertImagePath } from './alert-image.ts'
import { type AlertRenderer, readIndex } from './alert-renderer.ts'

const TEMPLATE = 'page-alert.html'
const ALERT_PATH = /^\/a\/(\d+)\/?$/
/** Shown in link previews of alerts whose content is not public. */
const GENERAL_IMAGE = '/share.png'

/**
 * Pages of alerts, `/a/<log index>`. They contain what an anonymous caller of GET
 * /api/alerts/at/:index gets: neither the session nor a shared link's token has an effect here.
 */
export function createAlertPages(ctx: Context, renderer: AlertRenderer): LivePages {
  const { webDir, publicUrl } = ctx.config.http
  let template: Promise<string> | undefined

  return {
    owns: (path) => path === '/a' || path.startsWith('/a/'),
    async render(path) {
      const index = readIndex(ALERT_PATH.exec(path)?.[1] ?? '')
      const page = index === null || webDir === null ? null : await findPublicAlertAt(ctx, index)
      if (index === null || webDir === null || !page) return null
      template ??= readFile(join(webDir, TEMPLATE), 'utf8')
      const [{ renderAlert }, text] = await Promise.all([renderer(), template])
      const { title, description, html } = renderAlert(page, ctx.clock.now().getTime())
      const isPublic = page.access !== 'withheld'
      const head = headTags({
        title,
        description,
        url: `${publicUrl}/a/${index}`,
        image: `${publicUrl}${isPublic ? alertImagePath(index) : GENERAL_IMAGE}`,
      })
      return fill(text, { title, description, head, html, page, isPublic })
    },
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
