import { createHash } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { escapeHtml, formatMetaTag, formatPreviewTags } from '../apps/server/src/http/html.ts'
import type { guardedPaths } from '../apps/web/src/features/account/auth-search-params.ts'
import { root } from './build-stamp.mjs'
import { listScripts } from './bundle-budget.ts'

/** Same type as in apps/web/src/entry/prerender.tsx, which is loaded as a bundle. */
interface RenderedPage {
  path: string
  title: string
  description: string
  html: string
  entry: 'landing' | 'text' | 'app'
}
/** Exports of apps/web/src/entry/prerender.tsx. */
interface Prerenderer {
  pagePaths: readonly string[]
  renderGate(path: string): Promise<{ title: string; html: string }>
  renderPages(): Promise<{ pages: RenderedPage[]; notFound: RenderedPage; alert: RenderedPage }>
}

/** Placeholder that the server replaces by its own origin. */
const ORIGIN = 'https://origin.invalid'
const EMPTY_ROOT = '<div id="root"></div>'
const APP_ENTRY = 'src/entry/app.tsx'
const ALERT_PAGE = 'src/features/shared-alert/alert-page.tsx'
const SIGNED_IN_LAYOUT_ENTRY = 'src/features/dashboard/signed-in-layout.tsx'
/**
 * Tag that loads the session in parallel with the scripts. Must match the request of `currentUser`.
 */
const PRELOAD_CURRENT_USER = '<link rel="preload" as="fetch" href="/api/auth/user" crossorigin="use-credentials">'
/**
 * Signed-in pages outside the admin area, and their entries. Only their initial state is
 * prerendered. The entry of the dashboard is the chunk `desk`, because the build can merge the page
 * into another file.
 */
const signedInPages: Record<Exclude<(typeof guardedPaths)[number], '/admin'> | '/assets/*', string> = {
  '/dashboard': 'desk',
  '/notifications': 'src/features/alerts/notifications-page.tsx',
  '/history': 'src/features/account/history-page.tsx',
  '/verification': 'src/features/proof/verification-page.tsx',
  '/settings': 'src/features/settings/settings-page.tsx',
  '/settings/channels': 'src/features/channels/channels-page.tsx',
  '/assets/*': 'src/features/assets/asset-page.tsx',
}
const SHARED_IMAGE = `${ORIGIN}/share.png`

/**
 * Prerenders the pages of a built site, so that they are readable before and without JavaScript.
 * Writes `pages.json`, which names the file of each path to the server. A path that is not listed
 * has no page.
 * @param bundleDir folder for the bundle of the prerenderer
 */
export async function prerenderSite(siteDir: string, bundleDir: string): Promise<void> {
  const vite = await import('vite')
  await vite.build({
    root: join(root, 'apps/web'),
    logLevel: 'warn',
    build: {
      ssr: 'src/entry/prerender.tsx',
      outDir: bundleDir,
      emptyOutDir: true,
      copyPublicDir: false,
      rolldownOptions: { output: { entryFileNames: 'prerender.mjs', chunkFileNames: '[name]-[hash].mjs' } },
    },
  })
  // import() is untyped: the bundle has the exports of prerender.tsx.
  const prerenderer = (await import(pathToFileURL(join(bundleDir, 'prerender.mjs')).href)) as Prerenderer
  const siteTemplate = await readFile(join(siteDir, 'site.html'), 'utf8')
  const build = createHash('sha256')
    .update(await readFile(join(siteDir, 'bundle.json')))
    .digest('hex')
    .slice(0, 16)
  const appHtml = await addModulePreloads(
    siteDir,
    addBuildId(await readFile(join(siteDir, 'index.html'), 'utf8'), build),
    [APP_ENTRY],
  )
  await writeFile(join(siteDir, 'index.html'), appHtml)
  const { pages, notFound, alert } = await prerenderer.renderPages()
  const fileByPath = new Map<string, string>()
  for (const page of pages) {
    const file = `page-${page.path.slice(1) || 'home'}.html`
    fileByPath.set(page.path, file)
    await writeFile(join(siteDir, file), fillTemplate(page.entry === 'app' ? appHtml : siteTemplate, page))
  }
  await writeFile(join(siteDir, 'page-404.html'), fillTemplate(appHtml, notFound, { isPage: false }))
  if (!alert.html.includes('<alert-content')) throw new Error('The template of alerts’ pages was not rendered')
  const alertTemplate = await addModulePreloads(siteDir, appHtml, [ALERT_PAGE])
  await writeFile(join(siteDir, 'page-alert.html'), fillTemplate(alertTemplate, alert, { isPage: false }))
  await rm(join(siteDir, 'site.html'))
  for (const [path, entry] of Object.entries(signedInPages)) {
    const { title, html } = await prerenderer.renderGate(path)
    assertAllowedByCsp(path, html)
    const gateHtml = appHtml
      .replace(EMPTY_ROOT, () => `<div id="root" data-gate>${html}</div>`)
      .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
      .replace('</head>', () => `  ${PRELOAD_CURRENT_USER}\n  </head>`)
    const file = `page-${path.slice(1).replace('/*', '').replace('/', '-')}.html`
    fileByPath.set(path, file)
    await writeFile(
      join(siteDir, file),
      deferScripts(await addModulePreloads(siteDir, gateHtml, [SIGNED_IN_LAYOUT_ENTRY, entry])),
    )
  }
  const files = Object.fromEntries(prerenderer.pagePaths.map((path) => [path, fileByPath.get(path) ?? 'index.html']))
  await bundleRenderer(siteDir, 'record-html')
  await bundleRenderer(siteDir, 'alert-html')
  await cp(join(root, 'apps/web/src/fonts/card'), join(siteDir, 'card'), { recursive: true })
  await writeFile(
    join(siteDir, 'pages.json'),
    JSON.stringify({ files, notFound: 'page-404.html', listed: pages.map(({ path }) => path), build }),
  )
}

/**
 * Bundles a renderer for content that is known only while the server runs, together with everything
 * it imports. The server loads the renderer from the site.
 */
async function bundleRenderer(siteDir: string, name: 'record-html' | 'alert-html'): Promise<void> {
  const vite = await import('vite')
  await vite.build({
    root: join(root, 'apps/web'),
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: true },
    build: {
      ssr: `src/entry/${name}.tsx`,
      outDir: siteDir,
      emptyOutDir: false,
      copyPublicDir: false,
      manifest: false,
      minify: true,
      rolldownOptions: { output: { entryFileNames: `${name}.mjs`, codeSplitting: false } },
    },
  })
}

/**
 * Adds the build id to a page. The opened page compares it with the build id in the responses of
 * the server.
 */
function addBuildId(html: string, build: string): string {
  return html.replace('</head>', () => `  ${formatMetaTag('name', 'tocsin-build', build)}\n  </head>`)
}

/** Preloads the scripts of the entries, which browsers would otherwise discover one by one. */
async function addModulePreloads(siteDir: string, html: string, entries: readonly string[]): Promise<string> {
  const manifest = JSON.parse(await readFile(join(siteDir, 'bundle.json'), 'utf8'))
  const links = [...listScripts(manifest, entries)]
    .filter((file) => !html.includes(`/${file}"`))
    .map((file) => `  <link rel="modulepreload" crossorigin href="/${file}">\n  `)
  return html.replace('</head>', () => `${links.join('')}</head>`)
}

/**
 * Defers scripts and the monospaced font until the prerendered page is painted. public/theme.js
 * then loads them.
 */
function deferScripts(html: string): string {
  return html
    .replace(/\s*<link rel="preload" href="[^"]*martian-mono[^>]*>/, '')
    .replaceAll(/<link rel="modulepreload"[^>]* href="([^"]*)">/g, '<link data-later="modulepreload" href="$1">')
    .replace(/<script type="module"[^>]* src="([^"]*)"><\/script>/, '<link data-later="script" href="$1">')
}

function fillTemplate(template: string, page: RenderedPage, { isPage } = { isPage: true }): string {
  const { path, title, description, entry } = page
  // The Content Security Policy forbids style attributes. Remove them from pages of the app, which
  // renders these pages again and sets styles by script. All other pages keep this HTML, so they
  // must not contain any.
  const html = entry === 'app' ? page.html.replaceAll(/ style="[^"]*"/g, '') : page.html
  assertAllowedByCsp(path, html)
  const tags = isPage
    ? formatPreviewTags({
        type: 'website',
        title,
        description,
        url: `${ORIGIN}${path}`,
        image: SHARED_IMAGE,
        imageAlt: 'Tocsin: market alarms, under seal',
      })
    : formatMetaTag('name', 'robots', 'noindex')
  return deferScripts(template)
    .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
    .replace(/<meta name="description"[^>]*>/, () => formatMetaTag('name', 'description', description))
    .replace('</head>', () => `  ${tags}\n  </head>`)
    .replace(EMPTY_ROOT, () => `<div id="root"${entry === 'text' ? ' data-text' : ''}>${html}</div>`)
}

function assertAllowedByCsp(path: string, html: string): void {
  if (/ style="|<script/.test(html))
    throw new Error(`${path}: the content security policy forbids style attributes and inline scripts`)
}
