import { readFileSync } from 'node:fs'

interface LockEntry {
  resolved?: string
  integrity?: string
  link?: boolean
}

/** Finds entries of a package-lock.json with no hash, a SHA-1 hash or a registry URL. */
export function findLockProblems(text: string): string[] {
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(text)
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link) return []
    return [
      ...(entry.integrity === undefined ? [`${path} has no integrity hash`] : []),
      ...(entry.integrity?.startsWith('sha1-') ? [`${path} has a SHA-1 hash`] : []),
      ...(entry.resolved === undefined ? [] : [`${path} names a registry: ${entry.resolved}`]),
    ]
  })
}

export function checkLock(): { code: number; output: string } {
  const problems = findLockProblems(readFileSync('package-lock.json', 'utf8'))
  return { code: problems.length > 0 ? 1 : 0, output: [...problems, ''].join('\n') }
}
