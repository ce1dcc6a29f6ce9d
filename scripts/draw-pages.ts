import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './build-stamp.mjs'
import { filesOf } from './bundle-budget.ts'

/** What apps/web/src/entry/prerender.tsx gives once it is bundled. */
interface DrawnPage {
  path: string
  title: string
  description: string
  html: string
  entry: 'landing' | 'app'
}
interface Drawing {
  pagePaths: readonly string[]
  drawGate(path: string): Promise<{ title: string; html: string }>
  drawPages(): Promise<{ pages: DrawnPage[]; notFound: DrawnPage }>
}

/** The server, which knows its own origin, puts it in this one's place. */
const ORIGIN = 'https://origin.invalid'
const EMPTY_ROOT = '<div id="root"></div>'
const APP = 'src/entry/app.tsx'
const SIGNED_IN_LAYOUT = 'src/features/dashboard/signed-in-layout.tsx'
/** Asked for beside the scripts, exactly as `currentUser` will ask for it. */
const WHO_IS_THERE = '<link rel="preload" as="fetch" href="/api/auth/user" crossorigin="use-credentials">'
/** Pages behind the sign-in are drawn in the browser alone. */
const signedInPages = {
  '/dashboard': 'src/features/dashboard/dashboard-page.tsx',
  '/notifications': 'src/features/alerts/notifications-page.tsx',
  '/history': 'src/features/account/history-page.tsx',
  '/verification': 'src/features/proof/verification-page.tsx',
  '/settings': 'src/features/settings/settings-page.tsx',
}
const SHARED_IMAGE = `${ORIGIN}/share.png`

/**
 * Draws the public pages into a built site, so that they can be read without JavaScript and are
 * there before it. `pages.json` tells the server which file stands at which address; an address
 * that it does not list has no page.
 */
export async function drawPages(siteDir: string, drawingDir: string): Promise<void> {
  const vite = await import('vite')
  await vite.build({
    root: join(root, 'apps/web'),
    logLevel: 'warn',
    build: {
      ssr: 'src/entry/prerender.tsx',
      outDir: drawingDir,
      emptyOutDir: true,
      copyPublicDir: false,
      rolldownOptions: { output: { entryFileNames: 'prerender.mjs', chunkFileNames: '[name]-[hash].mjs' } },
    },
  })
  // The bundle is what prerender.tsx exports.
  const drawing = (await import(pathToFileURL(join(drawingDir, 'prerender.mjs')).href)) as Drawing
  const landing = await readFile(join(siteDir, 'landing.html'), 'utf8')
  const app = await hurry(siteDir, await readFile(join(siteDir, 'index.html'), 'utf8'), [APP])
  await writeFile(join(siteDir, 'index.html'), app)
  const { pages, notFound } = await drawing.drawPages()
  const drawn = new Map<string, string>()
  for (const page of pages) {
    const file = `page-${page.path.slice(1) || 'home'}.html`
    drawn.set(page.path, file)
    await writeFile(join(siteDir, file), fill(page.entry === 'landing' ? landing : app, page))
  }
  await writeFile(join(siteDir, 'page-404.html'), fill(app, notFound, { isPage: false }))
  await rm(join(siteDir, 'landing.html'))
  for (const [path, entry] of Object.entries(signedInPages)) {
    const { title, html } = await drawing.drawGate(path)
    assertAllowed(path, html)
    const gate = app
      .replace(EMPTY_ROOT, () => `<div id="root" data-gate>${html}</div>`)
      .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
      .replace('</head>', () => `  ${WHO_IS_THERE}\n  </head>`)
    const file = `page-${path.slice(1)}.html`
    drawn.set(path, file)
    await writeFile(join(siteDir, file), later(await hurry(siteDir, gate, [SIGNED_IN_LAYOUT, entry])))
  }
  const files = Object.fromEntries(drawing.pagePaths.map((path) => [path, drawn.get(path) ?? 'index.html']))
  await writeFile(
    join(siteDir, 'pages.json'),
    JSON.stringify({ files, notFound: 'page-404.html', listed: pages.map(({ path }) => path) }),
  )
}

/** The page with its scripts named beforehand, which else were found one after the other. */
async function hurry(siteDir: string, html: string, entries: readonly string[]): Promise<string> {
  const manifest = JSON.parse(await readFile(join(siteDir, 'bundle.json'), 'utf8'))
  const links = [...filesOf(manifest, entries)]
    .filter((file) => !html.includes(`/${file}"`))
    .map((file) => `  <link rel="modulepreload" crossorigin href="/${file}">\n  `)
  return html.replace('</head>', () => `${links.join('')}</head>`)
}

/**
 * The page can be read as it is: its scripts and the face of its data come when it has been seen
 * (public/theme.js asks for them).
 */
function later(html: string): string {
  return html
    .replace(/\s*<link rel="preload" href="[^"]*martian-mono[^>]*>/, '')
    .replaceAll(/<link rel="modulepreload"[^>]* href="([^"]*)">/g, '<link data-later="modulepreload" href="$1">')
    .replace(/<script type="module"[^>]* src="([^"]*)"><\/script>/, '<link data-later="script" href="$1">')
}

function fill(template: string, page: DrawnPage, { isPage } = { isPage: true }): string {
  const { path, title, description, entry } = page
  // The app draws its pages anew and sets styles by script; the landing page is taken over as it
  // is.
  const html = entry === 'app' ? page.html.replaceAll(/ style="[^"]*"/g, '') : page.html
  assertAllowed(path, html)
  const address = `${ORIGIN}${path}`
  const tags = isPage
    ? [
        `<link rel="canonical" href="${address}" />`,
        meta('property', 'og:type', 'website'),
        meta('property', 'og:site_name', 'Tocsin'),
        meta('property', 'og:title', title),
        meta('property', 'og:description', description),
        meta('property', 'og:url', address),
        meta('property', 'og:image', SHARED_IMAGE),
        meta('property', 'og:image:width', '1200'),
        meta('property', 'og:image:height', '630'),
        meta('property', 'og:image:alt', 'Tocsin: market alarms, under seal'),
        meta('name', 'twitter:card', 'summary_large_image'),
      ]
    : [meta('name', 'robots', 'noindex')]
  return later(template)
    .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
    .replace(/<meta name="description"[^>]*>/, () => meta('name', 'description', description))
    .replace('</head>', () => `  ${tags.join('\n    ')}\n  </head>`)
    .replace(EMPTY_ROOT, () => `<div id="root">${html}</div>`)
}

function assertAllowed(path: string, html: string): void {
  if (/ style="|<script/.test(html)) throw new Error(`${path}: the policy forbids style attributes and inline scripts`)
}

function meta(kind: 'name' | 'property', name: string, content: string): string {
  return `<meta ${kind}="${name}" content="${escapeHtml(content)}" />`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
