import { readFileSync } from 'node:fs'

interface LockEntry {
  resolved?: string
  integrity?: string
  link?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

/** Finds entries of a package-lock.json with no hash, a SHA-1 hash or a registry URL. */
export function findLockProblems(text: string): string[] {
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(text)
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link) return []
    const isUnhashed = entry.integrity === undefined && !isForeignBinary(entry)
    return [
      ...(isUnhashed ? [`${path} has no integrity hash`] : []),
      ...(entry.integrity?.startsWith('sha1-') ? [`${path} has a SHA-1 hash`] : []),
      ...(entry.resolved === undefined ? [] : [`${path} names a registry: ${entry.resolved}`]),
    ]
  })
}

/**
 * True for optional binaries for platforms other than Linux x64 with glibc, on which the product is
 * built and tested. npm omits their hashes if the registry mirror does not have these packages.
 */
function isForeignBinary({ optional, os = [], cpu = [], libc = [] }: LockEntry): boolean {
  const isHere = [
    os.length === 0 || os.includes('linux'),
    cpu.length === 0 || cpu.includes('x64'),
    libc.length === 0 || libc.includes('glibc'),
  ].every(Boolean)
  return optional === true && !isHere
}

export function checkLock(): { code: number; output: string } {
  const problems = findLockProblems(readFileSync('package-lock.json', 'utf8'))
  return { code: problems.length > 0 ? 1 : 0, output: [...problems, ''].join('\n') }
}
