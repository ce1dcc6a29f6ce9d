import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './build-stamp.mjs'

interface Chunk {
  file: string
  name?: string
  imports?: string[]
}
type Manifest = { [key: string]: Chunk }
type Budget = { [name: string]: { entries: string[]; maxBytes: number } }

/**
 * Text in every error message of viem. Every script that bundles viem contains this text, so a
 * search for it finds wallet code that is not loaded lazily.
 */
const WALLET_LIBRARY_MARKER = 'viem@'

/**
 * Measures the gzipped size of the scripts that each part of the built site loads at start, and
 * compares it with the budget of the part.
 */
export function measureBundles(siteDir = join(root, 'apps/web/dist')): { problems: string[]; lines: string[] } {
  const manifest: Manifest = readJson(join(siteDir, 'bundle.json'))
  const budget: Budget = readJson(join(root, 'apps/web/budget.json'))
  const problems: string[] = []
  const lines: string[] = []
  for (const [name, { entries, maxBytes }] of Object.entries(budget)) {
    const scripts = [...listScripts(manifest, entries)].map((file) => readFileSync(join(siteDir, file)))
    const bytes = scripts.reduce((sum, script) => sum + gzipSync(script, { level: 9 }).length, 0)
    lines.push(`${name}: ${(bytes / 1000).toFixed(1)} of ${maxBytes / 1000} kB`)
    if (bytes > maxBytes) problems.push(`${name} loads ${bytes} bytes of JavaScript, ${bytes - maxBytes} too many`)
    if (scripts.some((script) => script.includes(WALLET_LIBRARY_MARKER)))
      problems.push(`${name} loads wallet code at start`)
  }
  return { problems, lines }
}

/**
 * Returns the scripts of these entries and of their static imports, without duplicates.
 * @param entries source files, or names of chunks of `apps/web/chunks.ts`
 */
export function listScripts(manifest: Manifest, entries: readonly string[]): Set<string> {
  const files = new Set<string>()
  const addChunk = (key: string) => {
    const chunk = manifest[key] ?? Object.values(manifest).find(({ name }) => name === key)
    if (!chunk)
      throw new Error(
        `The build has no ${key}: update apps/web/budget.json or the entries of scripts/prerender-pages.ts`,
      )
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    for (const importedKey of chunk.imports ?? []) addChunk(importedKey)
  }
  for (const entry of entries) addChunk(entry)
  return files
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8'))
}
