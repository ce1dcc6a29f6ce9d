import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build as bundle } from 'esbuild'
import { root } from './build-stamp.mjs'

/**
 * Files that every page of the app needs offline, in addition to the files with a hash in their
 * name.
 */
const UNHASHED_FILES = ['theme.js', 'favicon.svg', 'touch-icon.png', 'site.webmanifest']
/**
 * Files that the service worker does not store: parts that need a network anyway (WalletConnect,
 * off-chain lookups of contracts by CCIP Read, the demo's wallet, signatures and pairing of
 * wallets, proof checks against a node, sharing, saving views, enrolment of an authenticator,
 * reauthentication), the embed, the admin area, pages that only links in emails open, and fonts for
 * scripts other than Latin.
 */
const EMAIL_LINK_PAGES = 'verify-email-page|reset-password-page|cancel-factor-reset-page|unsubscribe-page'
const NETWORK_ONLY_CHUNKS =
  'index\\.es|ccip|mnemonicToAccount|secp256k1|proof-worker|recompute-worker|embed|' +
  'share-dialog|save-view-dialog|manage-views-dialog|reauthentication-dialog|pairing-panel|qr-code'
const ADMIN_CHUNKS =
  'admin-page|business-tab|coupons-view|outreach-view|letters-tab|scheduled-panel|schedule-dialog|refund-dialog|engine-view|' +
  'instances-view|security-log-panel|audit-panel|protected-panel|user-detail-dialog|reach-dialog|reach-view'
const ONLINE_ONLY_PATTERN = new RegExp(
  `^(?:${NETWORK_ONLY_CHUNKS}|${ADMIN_CHUNKS}|${EMAIL_LINK_PAGES})-|-ext-|cyrillic`,
)
/** Maximum compressed size of all files that a first visit loads in the background. */
const MAX_BYTES = 900_000

/** Writes `sw.js`, the service worker with the list of the files that it stores. */
export async function writeServiceWorker(siteDir: string): Promise<void> {
  const page = await writeShellPage(siteDir)
  const hashedFiles = (await readdir(join(siteDir, 'assets'))).filter((name) => !ONLINE_ONLY_PATTERN.test(name)).sort()
  const files = [...UNHASHED_FILES, ...hashedFiles.map((name) => `assets/${name}`)]
  const digest = createHash('sha256')
  let bytes = 0
  for (const file of files) {
    const content = await readFile(join(siteDir, file))
    digest.update(`${file}\0`).update(content)
    bytes += file.endsWith('.woff2') ? content.length : gzipSync(content).length
  }
  if (bytes > MAX_BYTES) throw new Error(`The service worker stores ${bytes} bytes, ${bytes - MAX_BYTES} too many`)
  console.log(`  offline: ${files.length} files, ${Math.round(bytes / 1000)} of ${MAX_BYTES / 1000} kB`)
  const shell = {
    build: digest.digest('hex').slice(0, 16),
    page: `/assets/${page}`,
    files: files.map((file) => `/${file}`),
  }
  await bundle({
    absWorkingDir: root,
    entryPoints: ['apps/web/src/service-worker/sw.ts'],
    outfile: join(siteDir, 'sw.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    define: { SHELL: JSON.stringify(shell) },
    logLevel: 'warning',
  })
}

/**
 * Writes the page with which the service worker responds to navigations without a network.
 * @returns the name of the page, which contains its digest
 */
async function writeShellPage(siteDir: string): Promise<string> {
  const page = (await readFile(join(siteDir, 'index.html'), 'utf8'))
    .replace('<html ', '<html data-offline ')
    .replace('</head>', '  <meta name="robots" content="noindex" />\n  </head>')
  const name = `app-shell-${createHash('sha256').update(page).digest('base64url').slice(0, 8)}.html`
  await writeFile(join(siteDir, 'assets', name), page)
  return name
}
