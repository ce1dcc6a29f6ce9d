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
 * Chunks that the service worker does not store: parts that need a network anyway (WalletConnect,
 * off-chain lookups of contracts by CCIP Read, the demo's wallet, signatures and pairing of
 * wallets, proof checks against a node, sharing, saving views, enrolment of an authenticator,
 * reauthentication), the embed, the admin area, and pages that only links in emails open.
 */
export const ONLINE_ONLY_CHUNKS = [
  ...['index.es', 'ccip', 'mnemonicToAccount', 'secp256k1', 'proof-worker', 'recompute-worker', 'embed'],
  ...['share-dialog', 'save-view-dialog', 'manage-views-dialog', 'reauthentication-dialog', 'pairing-panel', 'qr-code'],
  ...['admin-page', 'business-tab', 'coupons-view', 'outreach-view', 'support-messages-tab', 'scheduled-panel'],
  ...['refund-dialog', 'engine-view', 'instances-view', 'security-log-panel', 'audit-panel', 'protected-panel'],
  ...['user-detail-dialog', 'reach-dialog', 'reach-view'],
  ...['verify-email-page', 'reset-password-page', 'cancel-factor-reset-page', 'unsubscribe-page'],
]
/** Fonts for scripts other than Latin, which the service worker does not store either. */
const ONLINE_ONLY_FONTS = /-ext-|cyrillic/
/** Maximum compressed size of all files that a first visit loads in the background. */
const MAX_BYTES = 900_000

/** Writes `sw.js`, the service worker with the list of the files that it stores. */
export async function writeServiceWorker(siteDir: string): Promise<void> {
  const page = await writeShellPage(siteDir)
  const hashedFiles = selectOfflineFiles(await readdir(join(siteDir, 'assets')))
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
 * Returns the names of the files with a hash that the service worker stores, sorted.
 * @throws if a chunk of ONLINE_ONLY_CHUNKS was not built: after a rename, every visitor would load
 *   the renamed chunk
 */
export function selectOfflineFiles(names: readonly string[]): string[] {
  const isOf = (chunk: string) => (name: string) => name.startsWith(`${chunk}-`)
  const missingChunks = ONLINE_ONLY_CHUNKS.filter((chunk) => !names.some(isOf(chunk)))
  if (missingChunks.length > 0)
    throw new Error(`ONLINE_ONLY_CHUNKS lists chunks that were not built: ${missingChunks.join(', ')}`)
  return names
    .filter((name) => !ONLINE_ONLY_CHUNKS.some((chunk) => isOf(chunk)(name)) && !ONLINE_ONLY_FONTS.test(name))
    .sort()
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
