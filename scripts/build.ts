import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { build as bundle } from 'esbuild'
import { buildContracts } from '../contracts/build.ts'
import { digestInputs, root, stampFile } from './build-stamp.mjs'
import { compressFiles } from './compress-files.ts'
import { prerenderSite } from './prerender-pages.ts'
import { serverBundleOptions } from './server-bundle.ts'
import { writeServiceWorker } from './write-service-worker.ts'

const PARENT_CHECK_MS = 500
const cache = join(root, '.cache')
const draft = join(cache, `build-${process.pid}`)

async function runStep(name: string, run: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now()
  const progressTimer = setInterval(() => console.log(`  ${name}: still working (${formatSeconds(startedAt)})`), 10_000)
  try {
    await run()
    console.log(`  ${name}: ${formatSeconds(startedAt)}`)
  } finally {
    clearInterval(progressTimer)
  }
}

function formatSeconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}

/**
 * Bundles the server and the demo, which is the server with another entry point. Shared code is in
 * chunks in the server's folder, because the server finds its migrations relative to its code.
 */
async function bundleServer(): Promise<void> {
  await bundle({
    absWorkingDir: root,
    entryPoints: {
      'server/dist/main': 'apps/server/src/main.ts',
      'server/dist/http-thread': 'apps/server/src/features/channels/http-thread.ts',
      'server/dist/tocsin': 'scripts/operator-commands.ts',
      'demo/dist/main': 'apps/demo/src/main.ts',
      'engine/dist/main': 'apps/engine/src/main.ts',
    },
    chunkNames: 'server/dist/chunk-[hash]',
    outdir: join(draft, 'apps'),
    ...serverBundleOptions,
    splitting: true,
    sourcemap: true,
  })
  chmodSync(join(draft, 'apps/server/dist/tocsin.js'), 0o755)
}

const verifierFile = join(draft, 'verify/tocsin-verify.mjs')

/** Bundles the verifier with its dependencies into one file that needs only Node.js. */
async function bundleVerifier(): Promise<void> {
  const outfile = verifierFile
  await bundle({
    absWorkingDir: root,
    entryPoints: ['apps/verify/src/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // The default entry point of hash-wasm cannot be tree-shaken.
    alias: { 'hash-wasm': 'hash-wasm/dist/index.esm.js' },
    logLevel: 'warning',
  })
  chmodSync(outfile, 0o755)
}

/**
 * Builds the site. The verifier must have been built before, because the site serves it and names
 * its hash.
 */
async function buildSite(): Promise<void> {
  const vite = await import('vite')
  const outDir = join(draft, 'web')
  const verifier = readFileSync(verifierFile)
  const verifierHash = { sha256: createHash('sha256').update(verifier).digest('hex'), bytes: verifier.length }
  await vite.build({
    root: join(root, 'apps/web'),
    logLevel: 'warn',
    define: { TOCSIN_VERIFIER: JSON.stringify(verifierHash) },
    build: { outDir, emptyOutDir: true },
  })
  await vite.build({
    root: join(root, 'apps/web'),
    logLevel: 'warn',
    mode: 'embed',
    build: { outDir, emptyOutDir: false, copyPublicDir: false },
  })
  copyFileSync(verifierFile, join(outDir, 'tocsin-verify.mjs'))
  await prerenderSite(outDir, join(draft, 'prerender'))
  await writeServiceWorker(outDir)
  await compressFiles(outDir)
}

/**
 * Moves a finished folder to its final path. The previous folder is moved into `draft`, which is
 * deleted at the end of the build.
 */
function moveToFinalPath(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  const previousFolder = join(draft, `old-${to.split('/').at(-2)}`)
  try {
    renameSync(to, previousFolder)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  renameSync(from, to)
}

/** Deletes the drafts of killed builds. Draft names contain the process id of their build. */
function removeAbandonedDrafts(): void {
  for (const name of readdirSync(cache).filter((entry) => /^build-\d+$/.test(entry))) {
    try {
      process.kill(Number(name.slice('build-'.length)), 0)
    } catch (error) {
      // EPERM means that another user's build is running.
      const hasEnded = error instanceof Error && 'code' in error && error.code === 'ESRCH'
      if (hasEnded) rmSync(join(cache, name), { recursive: true, force: true })
    }
  }
}

async function main(): Promise<void> {
  const startedAt = performance.now()
  mkdirSync(cache, { recursive: true })
  removeAbandonedDrafts()
  rmSync(draft, { recursive: true, force: true })
  // The stamp marks a complete build, so it is deleted first and written last. The digest is taken
  // before the build, so that sources that change during the build are rebuilt at the next start.
  const digest = digestInputs()
  rmSync(stampFile, { force: true })

  await runStep('contracts', buildContracts)
  await runStep('verifier', bundleVerifier)
  await Promise.all([runStep('server', bundleServer), runStep('site', buildSite)])
  for (const name of ['server', 'demo', 'engine']) {
    moveToFinalPath(join(draft, 'apps', name, 'dist'), join(root, 'apps', name, 'dist'))
  }
  moveToFinalPath(join(draft, 'verify'), join(root, 'apps/verify/dist'))
  moveToFinalPath(join(draft, 'web'), join(root, 'apps/web/dist'))
  rmSync(draft, { recursive: true, force: true })
  writeFileSync(`${stampFile}.draft`, digest)
  renameSync(`${stampFile}.draft`, stampFile)
  console.log(`  built in ${formatSeconds(startedAt)}`)
}

const parent = process.ppid
// Exits when the parent process has ended, even if it was killed.
setInterval(() => process.ppid !== parent && process.exit(1), PARENT_CHECK_MS).unref()

main().then(
  // Prerendering runs the site's code in this process, which can leave timers or channels open.
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  },
)
