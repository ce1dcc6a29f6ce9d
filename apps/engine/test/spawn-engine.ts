import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
let bundle: string | null = null

/**
 * Bundles the engine once, because Node starts a bundle several times faster than tsx starts its
 * sources.
 */
function bundleChild(): string {
  if (bundle !== null) return bundle
  mkdirSync(join(root, '.cache'), { recursive: true })
  // The folder is inside the repository, so that Node.js can resolve the packages that the bundle
  // imports.
  const folder = mkdtempSync(join(root, '.cache/engine-child-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  bundle = join(folder, 'child.mjs')
  buildSync({
    absWorkingDir: root,
    entryPoints: ['apps/engine/test/engine-child.ts'],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    alias: {
      '@tocsin/engine': './packages/engine/src/index.ts',
      '@tocsin/proof': './packages/proof/src/index.ts',
      '@tocsin/protocol/durations': './packages/protocol/src/durations.ts',
      '@tocsin/protocol/engine-status': './packages/protocol/src/engine-status.ts',
    },
    packages: 'external',
    logLevel: 'warning',
  })
  return bundle
}

/** Starts the engine as a separate process. */
export function spawnEngine(env: Record<string, string>): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [bundleChild()], { env: { PATH: process.env.PATH, ...env } })
}

/** Replaces the file that the engine's processes read as their clock. */
export function writeClock(path: string, nowMs: number): void {
  writeFileSync(`${path}.new`, String(nowMs))
  renameSync(`${path}.new`, path)
}
