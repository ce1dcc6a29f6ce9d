import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

export const PAGE_HTML = '<!doctype html><title>the page</title>'
export const LANDING_HTML = '<!doctype html><link rel="canonical" href="https://origin.invalid/">'
/** A prerendered page that requires sign-in. */
export const GATE_HTML = '<!doctype html><html lang="en"><div id="root" data-gate>who is there?</div></html>'
/** The prerendered track record. The server replaces its content. */
export const RECORD_HTML =
  '<!doctype html><p>head</p><record-content class="contents">loading</record-content><p>foot</p>'
/** Code of a renderer that writes some of the record's figures. */
const RECORD_RENDERER = `export const renderRecord = ({ config, answer: { record }, host, chosen }) =>
  \`<b>$& n \${record.overall.strict.n} of \${record.asOf.size} on \${host}, demo \${config.demo}</b>\` +
  (chosen ? JSON.stringify(chosen) : '')`
/** The template of the alert pages. */
const ALERT_PAGE =
  '<html><head><meta name="description" content=""><title>Alert</title><meta name="robots" content="noindex" /></head><body><alert-content class="contents">loading</alert-content></body></html>'
const EMBED_PAGE =
  '<html data-theme="dark"><head><title>Alert</title></head><body><embed-content></embed-content></body></html>'
/** Code of a renderer that writes its whole input. */
const ALERT_RENDERER = `const words = (page) => page.access + ' ' + (page.bundle?.alert.summary ?? page.leafHash)
export const renderAlert = (page) =>
  ({ title: words(page), description: '"$&" of ' + words(page), html: '<b>$& ' + words(page).replaceAll('<', '&lt;') + '</b>' })
export const renderEmbed = renderAlert
export const renderAlertCard = (alert) =>
  '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><circle r="' + alert.logIndex + '" /></svg>'`
export const NOT_FOUND_HTML = '<!doctype html><title>no page</title>'
export const SECRET_TEXT = 'what lies beside the site'

/**
 * Writes a built site with a few pages and hashed files. The path of its folder also contains
 * `assets`, and a file next to the site must not be served.
 */
export async function writeSite(): Promise<{ webDir: string; keptAssetsDir: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-site-'))
  const webDir = join(folder, 'assets', 'site')
  await mkdir(join(webDir, 'assets'), { recursive: true })
  await writeFile(join(webDir, 'index.html'), PAGE_HTML)
  await writeFile(join(webDir, 'page-home.html'), LANDING_HTML)
  await writeFile(join(webDir, 'page-settings.html'), GATE_HTML)
  await writeFile(join(webDir, 'page-404.html'), NOT_FOUND_HTML)
  await writeFile(join(webDir, 'page-track-record.html'), RECORD_HTML)
  await writeFile(join(webDir, 'record-html.mjs'), RECORD_RENDERER)
  await writeFile(join(webDir, 'page-alert.html'), ALERT_PAGE)
  await writeFile(join(webDir, 'embed.html'), EMBED_PAGE)
  await writeFile(join(webDir, 'alert-html.mjs'), ALERT_RENDERER)
  const appPaths = ['/dashboard', '/verify-email', '/auth', '/dev/outbox', '/assets/*']
  const files = {
    '/': 'page-home.html',
    '/settings': 'page-settings.html',
    '/track-record': 'page-track-record.html',
    ...Object.fromEntries(appPaths.map((path) => [path, 'index.html'])),
  }
  await writeFile(
    join(webDir, 'pages.json'),
    JSON.stringify({ files, notFound: 'page-404.html', listed: ['/'], build: 'build-1' }),
  )
  await writeFile(join(webDir, 'assets', 'app-0a1b2c.js'), 'let app')
  await writeFile(join(webDir, 'assets', 'late-0a1b2c.js'), 'let late')
  const worker = join(webDir, 'assets', 'proof-worker-0a1b2c.js')
  await writeFile(worker, 'let worker')
  await writeFile(`${worker}.br`, brotliCompressSync('let worker'))
  await writeFile(`${worker}.gz`, gzipSync('let worker'))
  await writeFile(join(webDir, 'favicon.svg'), '<svg/>')
  await writeFile(join(folder, 'assets', 'secret.txt'), SECRET_TEXT)
  return { webDir, keptAssetsDir: join(folder, 'kept'), remove: () => rm(folder, { recursive: true, force: true }) }
}
