import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AlertAt } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { escapeHtml, formatMetaTag, formatPreviewTags, type LinkPreview } from '../../http/html.ts'
import type { LivePages } from '../../http/pages.ts'
import { findPublicAlertAt } from '../sharing/alert-at.ts'
import { formatAlertImagePath } from './alert-image.ts'
import { type AlertRenderer, readIndex } from './alert-renderer.ts'

const TEMPLATES = { a: 'page-alert.html', embed: 'embed.html' }
const ALERT_PATH = /^\/a\/(\d+)\/?$/
const EMBED_PATH = /^\/(?:embed\/(\d+)|a\/(\d+)\/embed)\/?$/
/** Picture in link previews of alerts whose content is not public. */
const GENERAL_IMAGE = '/share.png'

/**
 * Pages of alerts, `/a/<log index>`, and their frames for other sites, `/embed/<log index>` or
 * `/a/<log index>/embed`. They contain what GET /api/alerts/at/:index returns to an anonymous
 * caller: neither the session nor the token of a shared link changes these pages.
 */
export function createAlertPages(ctx: Context, renderer: AlertRenderer): LivePages {
  const { webDir, publicUrl } = ctx.config.http
  const templates = new Map<string, Promise<string>>()

  function readTemplate(dir: string, name: string): Promise<string> {
    const cachedTemplate = templates.get(name) ?? readFile(join(dir, name), 'utf8')
    templates.set(name, cachedTemplate)
    // If reading fails, the next request reads the file again.
    cachedTemplate.catch(() => templates.delete(name))
    return cachedTemplate
  }

  return {
    owns: (path) => /^\/(a|embed)(\/|$)/.test(path),
    async render(path, query) {
      const [isEmbed, [, alertPathIndex, embedPathIndex]] = [
        EMBED_PATH.test(path),
        ALERT_PATH.exec(path) ?? EMBED_PATH.exec(path) ?? [],
      ]
      const index = readIndex(alertPathIndex ?? embedPathIndex ?? '')
      const page = index === null || webDir === null ? null : await findPublicAlertAt(ctx, index)
      if (index === null || webDir === null || !page) return null
      const [{ renderAlert, renderEmbed }, template] = await Promise.all([
        renderer(),
        readTemplate(webDir, isEmbed ? TEMPLATES.embed : TEMPLATES.a),
      ])
      const nowMs = ctx.clock.now().getTime()
      if (isEmbed) {
        const { title, html } = renderEmbed(page, nowMs)
        return {
          html: setTheme(fillTemplate(template, { title, html, page }), query.get('theme')),
          isEmbeddable: true,
        }
      }
      const isPublic = page.access !== 'withheld'
      const { title, description, html } = renderAlert(page, nowMs)
      const image = `${publicUrl}${isPublic ? formatAlertImagePath(index) : GENERAL_IMAGE}`
      const url = `${publicUrl}/a/${index}`
      const preview: LinkPreview = { type: 'article', title, description, url, image, imageAlt: title }
      const htmlWithPreview = addHeading(template, preview, isPublic)
      return { html: fillTemplate(htmlWithPreview, { title, html, page }), isEmbeddable: false }
    },
  }
}

/** Sets the theme of a frame from its URL. Pages choose their theme with a script. */
function setTheme(html: string, theme: string | null): string {
  return theme === 'light' ? html.replace('data-theme="dark"', 'data-theme="light"') : html
}

/**
 * Adds the meta tags of the link preview, and lets search engines index public alerts. Replacements
 * are functions, because `$&` in a text would be replaced otherwise.
 */
function addHeading(template: string, preview: LinkPreview, isPublic: boolean): string {
  const htmlWithPreview = template
    .replace(/<meta name="description"[^>]*>/, () => formatMetaTag('name', 'description', preview.description))
    .replace('</head>', () => `  ${formatPreviewTags(preview)}\n  </head>`)
  return isPublic ? htmlWithPreview.replace(/\s*<meta name="robots"[^>]*>/, '') : htmlWithPreview
}

/** Inserts the content into its element, and adds the alert as data. */
function fillTemplate(template: string, { title, html, page }: { title: string; html: string; page: AlertAt }): string {
  return template
    .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(title)} · Tocsin</title>`)
    .replace(/(<(alert|embed)-content[^>]*>).*?(<\/\2-content>)/s, (_all, start, _name, end) => start + html + end)
    .replace('</body>', () => `  ${formatJsonElement(page)}\n  </body>`)
}

/**
 * Returns a JSON element with the alert, so that the page can verify it without another request.
 * Browsers do not execute it.
 */
function formatJsonElement(page: AlertAt): string {
  return `<script type="application/json" id="alert-data">${JSON.stringify(page).replaceAll('<', '\\u003c')}</script>`
}
